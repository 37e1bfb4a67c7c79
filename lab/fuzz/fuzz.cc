// Parses the inputs of libFuzzer with the grammar that WALPROOF_GRAMMAR names, and visits all fields.
#include <stdint.h>
#include <stdlib.h>

#include <string>

#include "listing.h"

bool listing_of(const std::string& grammar, const std::string& bytes, Listing& list);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::string grammar(getenv("WALPROOF_GRAMMAR"));
    Listing list;
    if (!listing_of(grammar, std::string(reinterpret_cast<const char*>(data), size), list)) abort();
    return 0;
}
