"""Fuzz the generated parsers in C++, Go and Rust with a fuzzer of each language.

Each language directory has a few lines of code that pass an input to the parser. The traversal of
all fields is shared with walproof/implementations/parser-*.
"""
