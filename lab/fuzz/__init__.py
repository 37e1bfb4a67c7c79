"""Fuzzing: run readers on generated inputs, guided by code coverage.

The sweep (:mod:`walproof.sweep`) applies a numbered list of damages. Fuzzing changes an input again
and again, by fields of the grammar and by bytes, and corrects checksums. An input that reaches new
lines of a reader is stored and changed further. README.md beside this file describes its use.
"""
