"""Fuzzing the generated parsers, in C++, Go and Rust, each by the fuzzer of its language.

There is a folder for each language with the few lines that hand an input to the parser; the walk
over all fields that follows is that of the drivers (walproof/implementations/parser-*).
"""
