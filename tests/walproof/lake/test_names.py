"""Every file name that a kernel allows has a unique text form."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from walproof.lake.names import printable_message, shown

names = st.lists(
    st.sampled_from([b"\\", b"x", b"ff", b"\xff", b"a", "é".encode(), b"\n", b"\\xff"]), min_size=1
).map(b"".join)


@given(st.lists(names, min_size=2, max_size=2, unique=True))
def test_two_names_never_look_alike(pair: list[bytes]) -> None:
    each, other = (shown(os.fsdecode(name)) for name in pair)
    assert each != other


@given(st.binary(min_size=1))
def test_every_name_is_text(name: bytes) -> None:
    shown(os.fsdecode(name)).encode("utf-8")
    printable_message(f"{os.fsdecode(name)}: no such file").encode("utf-8")


def test_usual_names_are_unchanged() -> None:
    assert shown("/a/b c/é\\n.log") == "/a/b c/é\\n.log"
    assert shown(os.fsdecode(b"/bad\xff.log")) == "/bad\\xff.log"
    assert shown("/bad\\xff.log") == "/bad\\\\xff.log"
