"""Numbers are formatted with units and nouns."""

import pytest

from walproof.quantity import counted, exact, in_bytes


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "record", "1 record"),
        (1200, "record", "1,200 records"),
        (2, "lost entry", "2 lost entries"),
        (2, "day", "2 days"),
    ],
)
def test_a_noun_is_pluralised(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


def test_sizes_have_units() -> None:
    assert exact(1) == "1 byte" and exact(10_240) == "10.0 KiB (10,240 bytes)"
    assert in_bytes(999) == "999 B" and in_bytes(1 << 20) == "1.0 MiB"
