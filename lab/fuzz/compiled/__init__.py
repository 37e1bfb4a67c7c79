"""Fuzz the generated parsers in C++, Go and Rust, each with a fuzzer of its language.

Each language directory has a few lines of code that pass an input to the parser. The code that
visits all fields is shared with walproof/implementations/parser-*.
"""
