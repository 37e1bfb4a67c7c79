// Driver of the C++ parsers: lists the fields that they find (walproof/parsers/README.md).
#include <fstream>
#include <iostream>
#include <iterator>

#include "listing.h"

bool listing_of(const std::string& grammar, const std::string& bytes, Listing& list);

namespace {

const char* const HELLO =
    "{\"name\":\"parser-cpp\",\"version\":\"0.11\",\"language\":\"C++\",\"formats\":[\"*\"],\"profiles\":[\"structure\"],"
    "\"reports\":[\"structure\",\"absent\",\"unknown-enums\"],\"homepage\":\"https://kaitai.io\","
    "\"issues\":\"https://github.com/kaitai-io/kaitai_struct/issues\"}";

/** Returns a member of a message, a string without its quotes. The harness writes JSON in ASCII without spaces. */
std::string member(const std::string& message, const std::string& key) {
    size_t at = message.find("\"" + key + "\":");
    if (at == std::string::npos) return "";
    at += key.size() + 3;
    if (message[at] != '"') return message.substr(at, message.find_first_of(",}", at) - at);
    std::string text;
    for (at++; message[at] != '"'; at++) {
        if (message[at] != '\\') {
            text += message[at];
        } else if (message[++at] == 'u') {
            unsigned code = static_cast<unsigned>(std::stoul(message.substr(at + 1, 4), nullptr, 16));
            at += 4;
            if (code < 0x80) {
                text += static_cast<char>(code);
            } else if (code < 0x800) {
                text += static_cast<char>(0xc0 | code >> 6);
                text += static_cast<char>(0x80 | (code & 63));
            } else {
                text += static_cast<char>(0xe0 | code >> 12);
                text += static_cast<char>(0x80 | (code >> 6 & 63));
                text += static_cast<char>(0x80 | (code & 63));
            }
        } else {
            text += message[at];
        }
    }
    return text;
}

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::cerr << "driver: cannot read " << path << '\n';
        exit(1);
    }
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string reply(const std::string& request) {
    std::string head = "{\"seq\":" + member(request, "seq");
    std::string grammar = member(request, "grammar");
    if (grammar.empty()) return head + ",\"skipped\":\"lists fields only\"}";
    Listing list;
    if (!listing_of(grammar, contents(member(request, "path")), list)) {
        return head + ",\"skipped\":\"no parser of " + grammar + "\"}";
    }
    Sha256 digest;
    std::string lines;
    for (const std::string& line : list.lines) {
        digest.add(line);
        digest.add("\n");
        lines += (lines.empty() ? "\"" : ",\"") + line + "\"";
    }
    head += ",\"structure\":{\"fields\":" + std::to_string(list.lines.size()) + ",\"sha256\":\"" + digest.hex() + "\"";
    return head + (member(request, "listing") == "true" ? ",\"listing\":[" + lines + "]" : "") + "}}";
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::string command = member(line, "cmd");
        if (command == "bye") break;
        std::cout << (command == "hello" ? HELLO : reply(line)) << std::endl;
    }
}
