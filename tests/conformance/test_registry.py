"""Builds of implementations, and the changes after which a build is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import registry
from conformance.registry import Implementation


@pytest.fixture
def implementation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """Return an implementation whose build takes no time, in its own checkout."""
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
