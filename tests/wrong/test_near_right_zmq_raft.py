"""Readers and writers of zmq-raft that are right but for one rule: vectors kill each, by name.

Each is the executable specification with one function or class changed in one place.
"""

from __future__ import annotations

import inspect
import json
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conformance.contents import read_contents, write_contents
from reference_impl.answer import NewRecord, collect
from reference_impl.zmq_raft import reader, writer

VECTORS = Path(__file__).parents[2] / "vectors" / "zmq-raft"
TABLE = tomllib.loads(Path(__file__).with_name("near_right_zmq_raft.toml").read_text("utf-8"))
ROWS = {row["name"]: row for row in [*TABLE["reader"], *TABLE["writer"]]}
USERS = (
    "directory", "directory_writer", "index_file", "index_writer", "message_pack", "reader",
    "snapshot", "state", "writer",
)  # fmt: skip
USED = sorted({slug for row in ROWS.values() for slug in row["killed_by"]})


def right(slug: str, folder: Path) -> bool:
    """Whether what a vector asks is done as it expects."""
    vector = json.loads((VECTORS / f"{slug}.json").read_text("utf-8"))
    path, context = folder / vector["input"], vector["context"]
    before = read_contents(VECTORS / vector["input"])
    write_contents(before, path)
    if vector["operation"] == "append":
        records = [NewRecord(bytes.fromhex(one["payload"]), one) for one in vector["records"]]
        try:
            writer.append(path, records, context)
        except ValueError:
            return bool(vector.get("must_refuse")) and read_contents(path) == before
        if vector.get("must_refuse"):
            return False
        return bool(_answer(path, "recover", context) == vector["expect"])
    wanted = {"recover": "expect", "strict": "expect_strict"}
    return all(_answer(path, profile, context) == vector[key] for profile, key in wanted.items())


def _answer(path: Path, profile: str, context: dict[str, Any]) -> dict[str, Any]:
    return collect(reader.read(path, profile, context)).to_json()


def killed(slug: str, folder: Path) -> bool:
    """An implementation that fails in any other way is dead, too."""
    try:
        return not right(slug, folder)
    except Exception:
        return True


@pytest.mark.parametrize("slug", USED)
def test_the_specification_is_right(slug: str, tmp_path: Path) -> None:
    assert right(slug, tmp_path)


@pytest.mark.parametrize("name", ROWS)
def test_near_right(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROWS[name]
    module_name, target = row["target"].split(".")
    module = import_module(f"reference_impl.zmq_raft.{module_name}")
    source = inspect.getsource(getattr(module, target))
    assert source.count(row["before"]) == 1, "what is to be changed is not there once"
    around = dict(vars(module))
    exec(source.replace(row["before"], row["after"]), around)
    right_one = vars(module)[target]
    for user in USERS:  # those that import it by name, too
        using = import_module(f"reference_impl.zmq_raft.{user}")
        if vars(using).get(target) is right_one:
            monkeypatch.setattr(using, target, around[target])
    alive = []
    for slug in row["killed_by"]:
        folder = tmp_path / slug
        folder.mkdir()
        if not killed(slug, folder):
            alive.append(slug)
    assert alive == []
