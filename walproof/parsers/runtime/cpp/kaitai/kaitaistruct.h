// Base of parsers that Kaitai Struct 0.11 generates. SPDX-License-Identifier: Apache-2.0
#ifndef KAITAI_STRUCT_H
#define KAITAI_STRUCT_H

#include <kaitai/kaitaistream.h>

namespace kaitai {

/** An object of a log; it does not own its stream. */
class kstruct {
public:
    explicit kstruct(kstream* io) : m__io(io) {}
    virtual ~kstruct() {}
    kstream* _io() { return m__io; }

protected:
    kstream* m__io;
};

}  // namespace kaitai

#endif
