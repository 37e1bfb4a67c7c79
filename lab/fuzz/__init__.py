"""Fuzz readers: run them on generated inputs, guided by code coverage.

The sweep (:mod:`walproof.sweep`) applies a fixed list of damages. Fuzzing changes an input
repeatedly, both fields of the grammar and single bytes, and corrects checksums. An input that
reaches new lines of a reader is stored and changed further. README.md in this directory describes
how to use it.
"""
