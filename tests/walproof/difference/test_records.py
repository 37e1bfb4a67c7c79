"""Two records are equal if their contents are equal, at any position."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.answer import End, Record
from walproof.difference.records import compared_log


def digest(**fields: Any) -> bytes:
    log = compared_log([Record(0, 4, b"data", fields), End("intact", None, 4)])
    return log.records[0].digest


@pytest.mark.parametrize("name", ["frame", "after_loss", "batch"])
def test_the_position_does_not_count(name: str) -> None:
    assert digest(pages=[2], **{name: 1}) == digest(pages=[2], **{name: 2}) == digest(pages=[2])


def test_other_fields_count() -> None:
    assert digest(pages=[2]) != digest(pages=[3])
