"""The files of a folder determine its system; the contents of subfolders do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from walproof.systems import systems_in


def test_subfolders_of_other_folders_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Subfolders are not searched: a log in a home directory may be next to a million files."""
    (tmp_path / "000003.log").write_bytes(b"")
    (tmp_path / "photos" / "2026").mkdir(parents=True)
    listed: list[Path] = []
    iterdir = Path.iterdir

    def note(folder: Path) -> object:
        listed.append(folder)
        return iterdir(folder)

    monkeypatch.setattr(Path, "iterdir", note)
    monkeypatch.setattr(Path, "rglob", lambda folder, pattern: pytest.fail(f"searched {folder}"))
    assert systems_in(tmp_path) == []
    assert tmp_path / "photos" / "2026" not in listed
