// SHA-256 (FIPS 180-4), for digests of listings.
#ifndef WALPROOF_SHA256_H
#define WALPROOF_SHA256_H

#include <stdint.h>

#include <string>

class Sha256 {
public:
    void add(const std::string& bytes) {
        for (char byte : bytes) {
            block_[length_++ % 64] = static_cast<uint8_t>(byte);
            if (length_ % 64 == 0) compress();
        }
    }

    /** Returns the digest in hexadecimal; add() must not be called afterwards. */
    std::string hex() {
        uint64_t bits = length_ * 8;
        add(std::string(1, '\x80'));
        while (length_ % 64 != 56) add(std::string(1, '\0'));
        for (int shift = 56; shift >= 0; shift -= 8) add(std::string(1, static_cast<char>(bits >> shift)));
        std::string text;
        for (uint32_t word : state_) {
            for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
        }
        return text;
    }

private:
    uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t block_[64];
    uint64_t length_ = 0;

    static uint32_t rotated(uint32_t word, int by) { return word >> by | word << (32 - by); }

    void compress() {
        static const uint32_t constants[64] = {
            0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
            0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
            0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
            0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
            0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
            0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
            0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
            0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
        uint32_t w[64];
        for (int i = 0; i < 16; i++) {
            w[i] = static_cast<uint32_t>(block_[4 * i]) << 24 | block_[4 * i + 1] << 16 | block_[4 * i + 2] << 8 | block_[4 * i + 3];
        }
        for (int i = 16; i < 64; i++) {
            uint32_t small0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t small1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + small0 + w[i - 7] + small1;
        }
        uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3];
        uint32_t e = state_[4], f = state_[5], g = state_[6], h = state_[7];
        for (int i = 0; i < 64; i++) {
            uint32_t big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
            uint32_t first = h + big1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
            uint32_t big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
            uint32_t second = big0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
        }
        uint32_t sums[8] = {a, b, c, d, e, f, g, h};
        for (int i = 0; i < 8; i++) state_[i] += sums[i];
    }
};

#endif
