// The listing of a parsed log, line by line (walproof/parsers/README.md).
#ifndef WALPROOF_LISTING_H
#define WALPROOF_LISTING_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <string>
#include <type_traits>
#include <vector>

#include "sha256.h"

/** An offset in the file, or unknown. */
struct Place {
    bool known;
    uint64_t at;
    static Place unknown() { return Place{false, 0}; }
    Place plus(uint64_t size) const { return known ? Place{true, at + size} : unknown(); }
};

struct Listing {
    std::vector<std::string> lines;

    void say(const std::string& name, Place place, const std::string& said) {
#ifdef WALPROOF_COUNTS_LINES  // a fuzzer measures the memory of the parser, not of the listing
        lines.emplace_back();
#else
        lines.push_back(name + " " + (place.known ? std::to_string(place.at) : "-") + " " + said);
#endif
    }
};

inline std::string said(const std::string& bytes) {
    std::string text = "b " + std::to_string(bytes.size()) + " ";
    if (bytes.size() > 32) {
        Sha256 digest;
        digest.add(bytes);
        return text + "sha256:" + digest.hex().substr(0, 16);
    }
    for (unsigned char byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

inline std::string said(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    char text[32];
    snprintf(text, sizeof text, "f %016llx", static_cast<unsigned long long>(bits));
    return text;
}

/** Returns the text of an integer, a boolean or an enum. */
template <typename T>
typename std::enable_if<std::is_integral<T>::value || std::is_enum<T>::value, std::string>::type said(T value) {
    return "i " + std::to_string(static_cast<int64_t>(value));
}

inline std::string joined(const std::string& name, const char* id) { return name.empty() ? id : name + "." + id; }

#endif
