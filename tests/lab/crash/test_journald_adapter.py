"""Test that journald's adapter mounts only in its own namespace, and reports how journald ended."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from conformance import ROOT
from conformance.adapterkit import Refused

ADAPTER = ROOT / "lab" / "crash" / "implementations" / "systemd-journald" / "adapter.py"
SERVICE = ROOT / "lab/databases/implementations/systemd-journald-service/program.py"

pytestmark = pytest.mark.skipif(
    not Path("/etc/machine-id").exists(), reason="journald does not start without /etc/machine-id"
)


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("of_journald", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=[ADAPTER, SERVICE], ids=["adapter", "service"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path])
    return imported(request.param)


def test_nothing_is_mounted_where_all_would_see_it(
    program: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted: list[tuple[object, ...]] = []
    monkeypatch.setattr(program, "mount", lambda *words: mounted.append(words))
    monkeypatch.setattr(program, "is_other_mount_namespace", lambda: False)
    words = [tmp_path / "folder", tmp_path / "log"] if hasattr(program, "served") else []
    with pytest.raises(SystemExit, match="mount namespace of its own"):
        program.prepare(*words)
    assert mounted == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("first", "parent", "is_apart"),
    [
        ("ours", "another", False),  # entered from a container
        ("another", "ours", True),
        (None, "ours", False),
        (None, "another", True),
        (None, None, False),
    ],
)
def test_a_namespace_is_told_from_that_of_the_machine(
    program: ModuleType,
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
    assert program.is_other_mount_namespace() is is_apart


@pytest.fixture
def adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the adapter without mounts, with sockets in a scratch directory."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = imported(ADAPTER)
    monkeypatch.setattr(module, "mount", lambda *words: None)
    monkeypatch.setattr(module, "libc", SimpleNamespace(umount2=lambda *words: 0))
    monkeypatch.setattr(module, "SOCKETS", (tmp_path / "a", tmp_path / "b"))
    return module


def test_journald_that_ends_before_it_listens_is_a_refusal(
    adapter: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import sys; sys.exit('No space left')"
    monkeypatch.setattr(adapter, "JOURNALD", [sys.executable, "-c", program])
    with pytest.raises(Refused, match="ended with 1: No space left"), adapter.daemon(tmp_path):
        pytest.fail("it does not listen")
    assert list(tmp_path.iterdir()) == []
