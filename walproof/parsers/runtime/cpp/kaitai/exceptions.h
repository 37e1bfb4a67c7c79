// Exceptions of parsers that Kaitai Struct 0.11 generates. SPDX-License-Identifier: Apache-2.0
#ifndef KAITAI_EXCEPTIONS_H
#define KAITAI_EXCEPTIONS_H

#include <kaitai/kaitaistream.h>

#include <stdexcept>
#include <string>

namespace kaitai {

/** The base of all errors of a parser. The message names the element of the grammar. */
class kstruct_error : public std::runtime_error {
public:
    kstruct_error(const std::string& why, const std::string& place) : std::runtime_error(place + ": " + why) {}
};

class undecided_endianness_error : public kstruct_error {
public:
    explicit undecided_endianness_error(const std::string& place) : kstruct_error("cannot decide on endianness", place) {}
};

/** A value that does not meet `valid` or `contents` of the grammar. */
class validation_failed_error : public kstruct_error {
public:
    validation_failed_error(const std::string& why, kstream* io, const std::string& place)
        : kstruct_error("at pos " + std::to_string(io->pos()) + ": validation failed: " + why, place) {}
};

template <typename T>
class validation_not_equal_error : public validation_failed_error {
public:
    validation_not_equal_error(const T&, const T&, kstream* io, const std::string& place)
        : validation_failed_error("not equal", io, place) {}
};

template <typename T>
class validation_less_than_error : public validation_failed_error {
public:
    validation_less_than_error(const T&, const T&, kstream* io, const std::string& place)
        : validation_failed_error("below the minimum", io, place) {}
};

template <typename T>
class validation_greater_than_error : public validation_failed_error {
public:
    validation_greater_than_error(const T&, const T&, kstream* io, const std::string& place)
        : validation_failed_error("above the maximum", io, place) {}
};

template <typename T>
class validation_not_any_of_error : public validation_failed_error {
public:
    validation_not_any_of_error(const T&, kstream* io, const std::string& place)
        : validation_failed_error("not any of the list", io, place) {}
};

template <typename T>
class validation_not_in_enum_error : public validation_failed_error {
public:
    validation_not_in_enum_error(const T&, kstream* io, const std::string& place)
        : validation_failed_error("not in the enum", io, place) {}
};

template <typename T>
class validation_expr_error : public validation_failed_error {
public:
    validation_expr_error(const T&, kstream* io, const std::string& place)
        : validation_failed_error("not matching the expression", io, place) {}
};

}  // namespace kaitai

#endif
