"""The index lists the vectors, and changes between two sets of vectors are classified."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from conformance.packages.index import NAME, change, fits, index_of, main
from conformance.vectors import load_all

ONE = "leveldb-log/first-then-full"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Return the folder of a small set of vectors."""
    for name in ("schema.json", "CHANGES.md"):
        shutil.copy(VECTORS / name, tmp_path)
    (tmp_path / "leveldb-log").mkdir()
    for slug in ("first-then-full", "four-short-records", "three-records"):
        for suffix in ("json", "log"):
            shutil.copy(VECTORS / "leveldb-log" / f"{slug}.{suffix}", tmp_path / "leveldb-log")
    return tmp_path


def edit(vectors: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = vectors / f"{ONE}.json"
    body = json.loads(path.read_text())
    change(body)
    path.write_text(json.dumps(body))


def between(vectors: Path, act: Callable[[], object]) -> tuple[str, list[str]]:
    before = json.loads(index_of(vectors))
    act()
    return change(before, json.loads(index_of(vectors)))


def test_the_index_has_every_vector_and_its_hashes() -> None:
    index = json.loads((VECTORS / NAME).read_bytes())
    all_of_them = load_all()
    assert [row["id"] for row in index["vectors"]] == sorted(all_of_them)
    for row in index["vectors"]:
        vector = all_of_them[row["id"]]
        assert row["input"] == vector.body["sha256"]
        assert row["description"] == hashlib.sha256(vector.path.read_bytes()).hexdigest()
    counts = index["counts"]
    assert sum(counts["by_format"].values()) == counts["vectors"] == len(all_of_them)


def test_equal_sets_have_no_change(vectors: Path) -> None:
    assert between(vectors, lambda: None) == ("none", [])


def test_a_changed_title_is_a_patch(vectors: Path) -> None:
    def act() -> None:
        edit(vectors, lambda body: body.update(title="Other words, the same log."))

    assert between(vectors, act) == ("patch", [f"{ONE} has another description"])


def test_a_new_vector_is_minor(vectors: Path) -> None:
    def act() -> None:
        for suffix in ("json", "log"):
            shutil.copy(VECTORS / "leveldb-log" / f"one-record.{suffix}", vectors / "leveldb-log")

    assert between(vectors, act) == ("minor", ["leveldb-log/one-record was added"])


@pytest.mark.parametrize(
    "changed",
    [
        lambda body: body["expect"].update(end=49),
        lambda body: body["expect_strict"]["lost"].clear(),
        lambda body: body["context"].update(key=1),
        lambda body: body.update(may_refuse=True),
        lambda body: body.update(sha256="0" * 64),
        lambda body: body.update(operation="append"),
    ],
)
def test_a_changed_input_or_answer_is_major(vectors: Path, changed) -> None:
    def act() -> None:
        edit(vectors, changed)

    assert between(vectors, act) == (
        "major",
        [f"{ONE} has another request or another expected answer"],
    )


def test_a_removed_vector_is_major(vectors: Path) -> None:
    kind, reasons = between(vectors, (vectors / f"{ONE}.json").unlink)
    assert (kind, reasons) == ("major", [f"{ONE} was removed"])


@pytest.mark.parametrize(
    ("old", "new", "kind", "is_enough"),
    [
        ("1.2.3", "2.0.0", "major", True),
        ("1.2.3", "1.3.0", "major", False),
        ("1.2.3", "1.2.4", "minor", False),
        ("1.2.3", "1.2.3", "patch", False),
        ("1.2.3", "1.2.3", "none", True),
        ("1.9.0", "1.10.0", "minor", True),
    ],
)
def test_a_version_must_be_raised_enough(old: str, new: str, kind: str, is_enough: bool) -> None:
    assert fits(old, new, kind) is is_enough


def test_the_command_compares_two_files(vectors: Path, tmp_path: Path, capsys) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_bytes(index_of(vectors))
    edit(vectors, lambda body: body["expect"].update(end=49))
    new.write_bytes(index_of(vectors))
    assert main([str(old), str(new)]) == 3
    assert capsys.readouterr().out == (
        f"1.0.0 → 1.0.0: major\n  {ONE} has another request or another expected answer\n"
    )
