from __future__ import annotations

from typing import Any

import click
import pytest

from walproof.cli.context import context_of


@pytest.mark.parametrize(
    ("format", "item", "value"),
    [
        ("zeebe-journal", 'last_flushed_index="5"', "5"),
        ("zeebe-journal", "last_flushed_index=null", None),
        ("zeebe-journal", "name=5", "5"),
        ("kahadb-journal", "checksum=false", False),
        ("systemd-journal", "header_size=65536", 65536),
        ("systemd-journal", 'match=["_UID=0", "_UID=1"]', ["_UID=0", "_UID=1"]),
        ("systemd-journal", "match=_UID=0", "_UID=0"),
        (
            "systemd-journal",
            "key=c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900",
            "c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900",
        ),
    ],
)
def test_a_value_has_the_type_of_its_key(format: str, item: str, value: Any) -> None:
    (result,) = context_of([item], format).values()
    assert result == value and type(result) is type(value)


@pytest.mark.parametrize(
    ("format", "item", "said"),
    [
        ("leveldb-log", "a=1", "unknown context key 'a' for leveldb-log: the format has no"),
        ("zeebe-journal", "index=1", "key 'index' for zeebe-journal: expected last_flushed_inde"),
        ("zeebe-journal", "last_flushed_index=true", "expected number or null or meta, found True"),
        ("kahadb-journal", "eof=some", "eof: expected record or zeros or none, found 'some'"),
        ("systemd-journal", "header_size=65537", "expected integer from 0 to 65536, found 65537"),
        ("systemd-journal", "key=", "expected a key as `journalctl --setup-keys` prints it, found"),
        ("systemd-journal", "key=c262bd/1c7af8-0", "expected a key as `journalctl --setup-keys`"),
        ("zmq-raft", "capacity", "expected KEY=VALUE, found 'capacity'"),
    ],
)
def test_unknown_keys_and_invalid_values_are_refused(format: str, item: str, said: str) -> None:
    with pytest.raises(click.UsageError, match=r"--context") as refused:
        context_of([item], format)
    assert said in str(refused.value)
