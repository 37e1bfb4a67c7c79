"""Crash consistency: what a writer has acknowledged, and what remains after a power failure.

The system calls of a writer are recorded (:mod:`~lab.crash.strace`). The states that a crash may
leave are generated from a stated model (:mod:`~lab.crash.model`), and each state is read
(:mod:`~lab.crash.judge`). docs/crash.md describes what this proves.
"""
