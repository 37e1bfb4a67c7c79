"""The journald adapter mounts only in its own namespace, and reports how journald ended."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.adapterkit import Refused
from lab.formats.systemd_journal import journald

ADAPTER = ROOT / "lab" / "crash" / "implementations" / "systemd-journald" / "adapter.py"

pytestmark = pytest.mark.skipif(
    not Path("/etc/machine-id").exists(), reason="journald does not start without /etc/machine-id"
)


def test_nothing_is_mounted_in_the_namespace_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mounted: list[tuple[str, ...]] = []
    monkeypatch.setattr(journald, "mount", lambda *words: mounted.append(words))
    monkeypatch.setattr(journald, "is_other_mount_namespace", lambda: False)
    with pytest.raises(SystemExit, match="mount namespace of its own"):
        journald.prepare("1M")
    assert mounted == []


@pytest.mark.parametrize(
    ("first", "parent", "is_apart"),
    [
        # The parent is in a container, and the program entered this namespace from there.
        ("ours", "another", False),
        ("another", "ours", True),
        (None, "ours", False),
        (None, "another", True),
        (None, None, False),
    ],
)
def test_a_namespace_is_distinguished_from_that_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
    first: str | None,
    parent: str | None,
    is_apart: bool,
) -> None:
    given = {"self": "ours", "1": first, str(os.getppid()): parent}

    def readlink(path: Path) -> Path:
        name = given[path.parts[2]]
        if name is None:
            raise PermissionError(13, "Permission denied", str(path))
        return Path(name)

    monkeypatch.setattr(Path, "readlink", readlink)
    assert journald.is_other_mount_namespace() is is_apart


def test_journald_that_ends_before_it_listens_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("of_journald", ADAPTER)
    assert spec is not None and spec.loader is not None
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    monkeypatch.setattr(journald, "mount", lambda *words: None)
    monkeypatch.setattr(journald, "unmount", lambda path: None)
    monkeypatch.setattr(journald, "SOCKETS", (tmp_path / "a", tmp_path / "b"))
    program = "import sys; sys.exit('No space left')"
    monkeypatch.setattr(adapter, "JOURNALD", [sys.executable, "-c", program])
    with pytest.raises(Refused, match="ended with 1: No space left"), adapter.daemon(tmp_path):
        pytest.fail("it does not listen")
    assert list(tmp_path.iterdir()) == []
