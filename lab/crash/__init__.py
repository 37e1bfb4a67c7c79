"""Crash consistency: what a writer has promised, and what a power failure leaves of it.

The system calls of a writer are recorded (:mod:`~lab.crash.strace`), states that a crash may
leave are built under a stated model (:mod:`~lab.crash.model`), and each is read back
(:mod:`~lab.crash.judge`). docs/crash.md says what that proves.
"""
