"""Prepared changes to a grammar: each must get the expected classes and rules."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from walproof.review.grammar_model import Model, load_models
from walproof.review.structure import structure

HERE = Path(__file__).parent
GRAMMAR = (HERE / "toy_log.ksy").read_text(encoding="utf-8")
CHANGES = tomllib.loads((HERE / "changes.toml").read_text(encoding="utf-8"))["change"]
KEYS = ("base", "replace")


def replaced(text: str, pairs: list[list[str]]) -> str:
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the grammar"
        text = text.replace(old, new)
    return text


def tree(root: Path, grammar: str) -> Path:
    (root / "ksy").mkdir(parents=True)
    (root / "ksy" / "toy_log.ksy").write_text(grammar, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Model, ...]]:
    """Return old and new model of every change; one run of the compiler handles all."""
    root = tmp_path_factory.mktemp("changes")
    grammars = {replaced(GRAMMAR, change.get(key, [])) for change in CHANGES for key in KEYS}
    trees = {text: tree(root / str(number), text) for number, text in enumerate(sorted(grammars))}
    loaded = dict(zip(trees, load_models(*trees.values()), strict=True))
    return {
        change["title"]: tuple(loaded[replaced(GRAMMAR, change.get(key, []))] for key in KEYS)
        for change in CHANGES
    }


@pytest.mark.parametrize("change", CHANGES, ids=[change["title"] for change in CHANGES])
def test_prepared_change_gets_expected_classes_and_rules(
    change: dict[str, Any], models: dict[str, tuple[Model, ...]]
) -> None:
    old, new = models[change["title"]]
    findings = structure(old, new)
    breaks = {c for finding in findings if finding.severity == "breaking" for c in finding.classes}
    assert breaks == set(change["breaks"]), findings
    rules = {finding.rule for finding in findings}
    assert rules >= set(change["rules"]), findings
    assert not rules & set(change.get("absent", [])), findings
    if not change["rules"]:
        assert findings == []
    for finding in findings:
        assert finding.where.startswith("ksy/toy_log.ksy:")
        assert finding.hurts
