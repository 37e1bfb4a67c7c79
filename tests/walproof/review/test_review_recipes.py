"""A field that recipes damage has another name, or is gone: which recipes, and what to write."""

from __future__ import annotations

from typing import Any

import pytest

from conformance import GRAMMARS
from walproof.review.recipes import stale_recipes
from walproof.review.grammar_model import Model, load_models
from walproof.review.structure import StructureDiff

GRAMMAR = (GRAMMARS / "leveldb_log.ksy").read_text(encoding="utf-8")
RENAMED = GRAMMAR.replace("      - id: checksum\n", "      - id: crc\n")
TURNED = GRAMMAR.replace("      - id: header\n", "      - id: front\n").replace("header.", "front.")


def body(*damage: str) -> dict[str, Any]:
    return {"made_by": {"recipe": "somewhere", "damage": list(damage)}}


BODIES = {
    "leveldb-log/a": body("flip bit 3 of blocks[0].records[1].header.checksum"),
    "leveldb-log/b": body("truncate at 5", "set blocks[-1].records[0].header.checksum to 7"),
    "leveldb-log/c": body("set blocks[0].records[0].header.crc to 7"),
    "leveldb-log/d": body("reseal blocks[0].records[0]", "extend by 3 zero bytes"),
    "leveldb-log/e": {"made_by": {"recipe": "somewhere"}},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Model]:
    roots = []
    for name, text in (("was", GRAMMAR), ("renamed", RENAMED), ("turned", TURNED)):
        root = tmp_path_factory.mktemp(name)
        (root / "ksy").mkdir()
        (root / "ksy" / "leveldb_log.ksy").write_text(text, encoding="utf-8")
        roots.append(root)
    return load_models(*roots)


def found(old: Model, new: Model) -> list[tuple[str, str]]:
    findings = list(stale_recipes(StructureDiff(old, new), BODIES, "leveldb-log"))
    assert {finding.rule for finding in findings} <= {"RECIPE_FIELD"}
    assert not any(finding.breaks for finding in findings), "no reader is hurt"
    return [(finding.change, finding.hurts) for finding in findings]


def test_recipes_that_aim_at_the_old_name_are_told(models: list[Model]) -> None:
    was, renamed, _ = models
    assert found(was, renamed) == [
        (
            "is `crc` now; 2 recipes damage it by its old name: leveldb-log/a, leveldb-log/b",
            "whoever makes the vectors: these recipes stop there; write `crc` there",
        )
    ]


def test_the_outermost_name_is_the_one_to_change(models: list[Model]) -> None:
    was, _, turned = models
    ((change, _),) = found(was, turned)
    assert change.startswith("is `front` now; 2 recipes damage it")


def test_recipes_that_were_changed_along_are_none(models: list[Model]) -> None:
    was, renamed, _ = models
    assert found(was, was) == []
    ((change, _),) = found(renamed, was)
    assert change == "is `checksum` now; 1 recipe damages it by its old name: leveldb-log/c"
