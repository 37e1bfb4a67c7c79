"""Fuzz readers: run them on generated inputs, guided by code coverage.

Fuzzing changes an input repeatedly, both fields of the grammar and single bytes, and corrects
checksums. An input that reaches new lines of a reader is stored and changed further. See README.md
in this directory.
"""
