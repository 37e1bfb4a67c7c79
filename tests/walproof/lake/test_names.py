"""Every file name that the kernel allows has a unique text form."""

from __future__ import annotations

import itertools
import os

from walproof.lake.names import printable_message, shown

PARTS = [b"\\", b"x", b"ff", b"\xff", b"a", "é".encode(), b"\n"]


def test_two_names_never_look_alike() -> None:
    names = {b"".join(n) for size in range(1, 6) for n in itertools.product(PARTS, repeat=size)}
    texts = {shown(os.fsdecode(name)) for name in names}
    assert len(texts) == len(names)
    assert all(text.encode("utf-8") for text in texts)


def test_usual_names_are_unchanged() -> None:
    assert shown("/a/b c/é\\n.log") == "/a/b c/é\\n.log"
    assert shown(os.fsdecode(b"/bad\xff.log")) == "/bad\\xff.log"
    assert shown("/bad\\xff.log") == "/bad\\\\xff.log"
    assert printable_message(os.fsdecode(b"\xff: no such file")) == "\\xff: no such file"
