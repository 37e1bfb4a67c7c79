"""Fuzz the generated parsers in C++, Go and Rust, each with the fuzzer of its language.

The directory of a language has a few lines that pass an input to the parser. The walk over all
fields is that of the drivers (walproof/implementations/parser-*).
"""
