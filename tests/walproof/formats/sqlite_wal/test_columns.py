"""The columns of sqlite-wal hold every field of an answer, and give it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.answer import collect
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.formats.sqlite_wal.columns import COLUMNS
from walproof.scan.answers import read

FORMAT = "sqlite-wal"
LOGS = sorted((VECTORS / FORMAT).glob("*-wal"))


def test_there_is_a_column_for_each_field() -> None:
    fields = set(registers()[FORMAT].fields) - {"at", "size", "payload"}
    assert {column.name for column in COLUMNS} == fields


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_the_columns_give_the_answer_back(log: Path) -> None:
    assert collect(read(FORMAT, log, {})) == collect(named(FORMAT).read(log, "recover", {}))
