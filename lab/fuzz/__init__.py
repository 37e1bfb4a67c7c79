"""Fuzz readers: run them on generated inputs, guided by code coverage.

Fuzzing repeatedly changes fields and single bytes of an input, and corrects checksums. An input
that reaches new lines of a reader is stored and changed further. See README.md in this directory.
"""
