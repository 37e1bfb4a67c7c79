"""What the bench starts has its bytecode, as an installed package has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from conformance import BUILD

NO_BYTECODE, ELSEWHERE = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"


@contextmanager
def kept() -> Iterator[None]:
    """Have programs of Python compiled once that are started in this block.

    Where Python is told to write no bytecode, each start compiles all modules of a checkout: a
    third of the time of a command. Bytecode then goes to a folder of the bench's.
    """
    if not (told := os.environ.get(NO_BYTECODE)):
        yield
        return
    before = os.environ.get(ELSEWHERE)
    del os.environ[NO_BYTECODE]
    os.environ[ELSEWHERE] = str(BUILD / "bench" / "bytecode")
    try:
        yield
    finally:
        os.environ[NO_BYTECODE] = told
        del os.environ[ELSEWHERE]
        if before is not None:
            os.environ[ELSEWHERE] = before
