"""Implementations are built once, and again only after certain changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance import registry
from conformance.registry import Implementation, ImplementationUnavailable


@pytest.fixture
def implementation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """Return an implementation with a trivial build, in a separate checkout."""
    monkeypatch.setattr(registry, "PACKAGES", tmp_path)
    monkeypatch.setattr(registry, "BUILD", tmp_path / ".build")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "adapter.py").write_text("pass\n")
    return Implementation(
        folder=folder, name="mine", title="mine", formats=(), needs=(),
        build=("{python}", "-c", ""), inputs=(), command_template=("true",),
    )  # fmt: skip


def test_a_build_is_reused_until_a_source_changes(implementation: Implementation) -> None:
    assert not implementation.is_built()
    implementation.make()
    assert implementation.is_built()
    (implementation.folder / "known-failures.json").write_text("{}")
    assert implementation.is_built(), "no build depends on it"
    (implementation.folder / "adapter.py").write_text("pass  # otherwise\n")
    assert not implementation.is_built()


def test_a_moved_build_is_stale(
    implementation: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A moved build is stale, because kernels and virtual environments contain absolute paths."""
    implementation.make()
    (tmp_path / ".build").rename(tmp_path / "moved")
    monkeypatch.setattr(registry, "BUILD", tmp_path / "moved")
    assert (implementation.output / "stamp").exists()
    assert not implementation.is_built()


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("reading\nno compiler found\n", "no compiler found"),
        ("error: no toolchain\nerror: no default\n  0: main\n", "error: no default"),
        ("", "no output"),
    ],
)
def test_a_failed_build_names_its_last_error(
    implementation: Implementation, output: str, reason: str
) -> None:
    """A line that begins with ``error`` is reported rather than the end of a stack trace."""
    fails = ("{python}", "-c", f"print({output!r}, end=''); raise SystemExit(1)")
    with pytest.raises(ImplementationUnavailable, match=f"the build failed: {reason} \\(see "):
        replace(implementation, build=fails).make()
