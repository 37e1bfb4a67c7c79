// Streams for parsers that Kaitai Struct 0.11 generates. SPDX-License-Identifier: Apache-2.0
//
// Written for this project with the interface of the official C++/STL runtime, which can replace it. It has only the
// functions that logs need. A stream keeps all of its bytes in memory.
#ifndef KAITAI_STREAM_H
#define KAITAI_STREAM_H

#define KAITAI_STRUCT_VERSION 11000L

#include <stdint.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace kaitai {

class kstream {
public:
    explicit kstream(std::istream* io) : data_(std::istreambuf_iterator<char>(*io), std::istreambuf_iterator<char>()) {}
    explicit kstream(const std::string& data) : data_(data) {}

    void close() {}
    bool is_eof() const { return pos_ >= data_.size() && bits_left_ == 0; }
    uint64_t pos() const { return pos_; }
    uint64_t size() const { return data_.size(); }
    void seek(uint64_t pos) {
        align_to_byte();
        pos_ = pos;
    }

    uint8_t read_u1() { return number<uint8_t>(1, false); }
    uint16_t read_u2le() { return number<uint16_t>(2, false); }
    uint32_t read_u4le() { return number<uint32_t>(4, false); }
    uint64_t read_u8le() { return number<uint64_t>(8, false); }
    uint16_t read_u2be() { return number<uint16_t>(2, true); }
    uint32_t read_u4be() { return number<uint32_t>(4, true); }
    uint64_t read_u8be() { return number<uint64_t>(8, true); }
    int8_t read_s1() { return number<int8_t>(1, false); }
    int16_t read_s2le() { return number<int16_t>(2, false); }
    int32_t read_s4le() { return number<int32_t>(4, false); }
    int64_t read_s8le() { return number<int64_t>(8, false); }
    int16_t read_s2be() { return number<int16_t>(2, true); }
    int32_t read_s4be() { return number<int32_t>(4, true); }
    int64_t read_s8be() { return number<int64_t>(8, true); }
    float read_f4le() { return real<float>(read_u4le()); }
    double read_f8le() { return real<double>(read_u8le()); }
    float read_f4be() { return real<float>(read_u4be()); }
    double read_f8be() { return real<double>(read_u8be()); }

    void align_to_byte() { bits_left_ = 0; }

    /** Reads bits, the most significant bit of each byte first. */
    uint64_t read_bits_int_be(int count) {
        uint64_t bits = 0;
        for (int i = 0; i < count; i++) {
            if (bits_left_ == 0) next_byte();
            bits = bits << 1 | (byte_ >> --bits_left_ & 1);
        }
        return bits;
    }

    /** Reads bits, the least significant bit of each byte first. */
    uint64_t read_bits_int_le(int count) {
        uint64_t bits = 0;
        for (int i = 0; i < count; i++) {
            if (bits_left_ == 0) next_byte();
            bits |= static_cast<uint64_t>(byte_ >> (8 - bits_left_--) & 1) << i;
        }
        return bits;
    }

    std::string read_bytes(int64_t count) {
        align_to_byte();
        need(count);
        std::string bytes = data_.substr(pos_, static_cast<size_t>(count));
        pos_ += static_cast<uint64_t>(count);
        return bytes;
    }

    std::string read_bytes_full() { return read_bytes(pos_ < data_.size() ? static_cast<int64_t>(data_.size() - pos_) : 0); }

    std::string read_bytes_term(char term, bool include, bool consume, bool eos_error) {
        align_to_byte();
        size_t end = pos_ < data_.size() ? data_.find(term, pos_) : std::string::npos;
        if (end == std::string::npos) {
            if (eos_error) throw std::runtime_error("no terminator before the end of the stream");
            return read_bytes_full();
        }
        std::string bytes = data_.substr(pos_, end - pos_ + include);
        pos_ = end + consume;
        return bytes;
    }

    /** Reads up to a terminator of several bytes, at a multiple of its length. */
    std::string read_bytes_term_multi(const std::string& term, bool include, bool consume, bool eos_error) {
        align_to_byte();
        size_t end = find_unit(data_, term, pos_);
        if (end == std::string::npos) {
            if (eos_error) throw std::runtime_error("no terminator before the end of the stream");
            return read_bytes_full();
        }
        std::string bytes = data_.substr(pos_, end - pos_ + (include ? term.size() : 0));
        pos_ = end + (consume ? term.size() : 0);
        return bytes;
    }

    static std::string bytes_strip_right(const std::string& bytes, char pad) {
        return bytes.substr(0, bytes.find_last_not_of(pad) + 1);
    }

    static std::string bytes_terminate(const std::string& bytes, char term, bool include) {
        size_t end = bytes.find(term);
        return end == std::string::npos ? bytes : bytes.substr(0, end + include);
    }

    static std::string bytes_terminate_multi(const std::string& bytes, const std::string& term, bool include) {
        size_t end = find_unit(bytes, term, 0);
        return end == std::string::npos ? bytes : bytes.substr(0, end + (include ? term.size() : 0));
    }

    /** Returns the text of bytes in UTF-8. */
    static std::string bytes_to_str(const std::string& bytes, const char* encoding) {
        const std::string name(encoding);
        if (name == "UTF-8" || name == "ASCII") return bytes;
        if (name != "ISO-8859-1" && name != "UTF-16LE" && name != "UTF-16BE")
            throw std::runtime_error("no encoding " + name + " in this runtime");
        std::string text;
        const size_t width = name == "ISO-8859-1" ? 1 : 2;
        uint32_t high = 0;
        for (size_t at = 0; at + width <= bytes.size(); at += width) {
            const uint32_t first = static_cast<uint8_t>(bytes[at]);
            const uint32_t second = width == 2 ? static_cast<uint8_t>(bytes[at + 1]) : 0;
            uint32_t unit = name == "UTF-16BE" ? first << 8 | second : first | second << 8;
            if (width == 2 && unit >= 0xd800 && unit < 0xdc00) {
                high = unit;
                continue;
            }
            if (high != 0 && unit >= 0xdc00 && unit < 0xe000) unit = 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
            high = 0;
            append_utf8(text, unit);
        }
        return text;
    }

    static std::string process_xor_one(std::string bytes, uint8_t key) {
        for (char& byte : bytes) byte = static_cast<char>(byte ^ key);
        return bytes;
    }

    static std::string process_xor_many(std::string bytes, const std::string& key) {
        for (size_t at = 0; at < bytes.size(); at++) bytes[at] = static_cast<char>(bytes[at] ^ key[at % key.size()]);
        return bytes;
    }

    static std::string process_rotate_left(std::string bytes, int amount) {
        for (char& byte : bytes) {
            const unsigned value = static_cast<uint8_t>(byte);
            byte = static_cast<char>(value << (amount & 7) | value >> (8 - (amount & 7)));
        }
        return bytes;
    }

    static uint8_t byte_array_min(const std::string& bytes) {
        return *std::min_element(bytes.begin(), bytes.end(), below);
    }

    static uint8_t byte_array_max(const std::string& bytes) {
        return *std::max_element(bytes.begin(), bytes.end(), below);
    }

    /** Returns the remainder, which is never negative. */
    static int mod(int a, int b) {
        if (b <= 0) throw std::invalid_argument("mod: the divisor must be positive");
        int rest = a % b;
        return rest < 0 ? rest + b : rest;
    }

    template <typename T>
    static std::string to_string(T value) {
        return std::to_string(value);
    }

    static int64_t string_to_int(const std::string& text, int base = 10) { return std::stoll(text, nullptr, base); }
    static std::string reverse(const std::string& text) { return std::string(text.rbegin(), text.rend()); }

private:
    std::string data_;
    uint64_t pos_ = 0;
    uint8_t byte_ = 0;
    int bits_left_ = 0;

    static bool below(char left, char right) { return static_cast<uint8_t>(left) < static_cast<uint8_t>(right); }

    /** Returns the offset of a terminator at a multiple of its length after `start`, or npos. */
    static size_t find_unit(const std::string& bytes, const std::string& term, size_t start) {
        for (size_t at = start; at + term.size() <= bytes.size(); at += term.size())
            if (bytes.compare(at, term.size(), term) == 0) return at;
        return std::string::npos;
    }

    static void append_utf8(std::string& text, uint32_t code) {
        if (code < 0x80) {
            text += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        text += static_cast<char>((0xff00 >> (more + 1) & 0xff) | code >> 6 * more);
        for (int at = more - 1; at >= 0; at--) text += static_cast<char>(0x80 | (code >> 6 * at & 0x3f));
    }

    void need(int64_t count) const {
        if (count < 0) throw std::invalid_argument("a negative number of bytes");
        uint64_t left = pos_ < data_.size() ? data_.size() - pos_ : 0;
        if (static_cast<uint64_t>(count) > left) throw std::out_of_range("end of the stream");
    }

    void next_byte() {
        need(1);
        byte_ = static_cast<uint8_t>(data_[pos_++]);
        bits_left_ = 8;
    }

    template <typename T>
    T number(int width, bool big) {
        align_to_byte();
        need(width);
        uint64_t value = 0;
        for (int i = 0; i < width; i++) {
            uint64_t byte = static_cast<uint8_t>(data_[pos_ + static_cast<uint64_t>(i)]);
            value |= byte << 8 * (big ? width - 1 - i : i);
        }
        pos_ += static_cast<uint64_t>(width);
        return static_cast<T>(value);
    }

    template <typename T, typename U>
    static T real(U bits) {
        T value;
        static_assert(sizeof value == sizeof bits, "the same width");
        memcpy(&value, &bits, sizeof value);
        return value;
    }
};

}  // namespace kaitai

#endif
