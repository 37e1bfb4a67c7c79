"""Fuzzing: readers get inputs that nobody listed, and coverage says which of them lead further.

The sweep (:mod:`walproof.sweep`) asks a numbered list of damages. Here an input is changed again
and again, by fields of the grammar and by bytes, with checksums made to match; what reaches new
lines of a reader is kept and changed further. README.md beside this file says how it is used.
"""
