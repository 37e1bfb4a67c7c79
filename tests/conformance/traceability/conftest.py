"""A small source tree for a made-up format, without traceability problems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.damage.text import parse
from conformance.traceability.write_tables import write_tables

CHAPTER = """# The toy log (`toy-log`)

**TOY-001 (MUST)** A log is a sequence of units.

**TOY-002 (MUST)** A unit whose sum is wrong is lost: `bad-sum`. See `units[i].head.sum`.

**TOY-004 (SHOULD)** A unit may be cut short: `torn-unit` (TOY-001, SHA-256 and units[0] of ABC-12).

<!-- register: reasons -->
<!-- end -->

| code | meaning |
|---|---|
| `not-a-reason` | another table |
"""

GRAMMAR = """meta:
  id: toy_log
  imports:
    - toy_sum
seq:
  - id: units
    -requirement: TOY-001
    type: unit
    repeat: eos
types:
  unit:
    seq:
      - id: head
        type: head
      - id: body
        type:
          switch-on: head.kind
          cases:
            1: text
            2: number
  head:
    seq:
      - id: sum
        -requirement: [TOY-002]
        type: toy_sum
  text:
    seq:
      - id: letters
        size-eos: true
  number:
    seq:
      - id: digits
        size-eos: true
"""

IMPORTED = """meta:
  id: toy_sum
seq:
  - id: low
    -requirement: TOY-002
    type: u1
"""

RECIPES = '''"""Recipes."""


def sound(log):
    """Two units."""


def flipped(log):
    """A flipped sum (TOY-002)."""


def cut(log):
    """A unit cut short."""


def foreign(log):
    """Not ours."""
'''

RECORD = {"at": 0, "size": 4, "payload": "61"}
INTACT = {"verdict": "intact", "reason": None, "records": [RECORD], "lost": [], "end": 4}


def lossy(verdict: str, reason: str) -> dict[str, Any]:
    lost = [{"from": 0, "to": 4, "reason": reason}]
    return {"verdict": verdict, "reason": reason, "records": [], "lost": lost, "end": None}


# Maps each reason code to the requirement that decides it.
DECIDED_BY = {"bad-sum": "TOY-002", "torn-unit": "TOY-004", "too-odd": "TOY-001"}


def decided_by(answer: dict[str, Any]) -> dict[str, Any]:
    lost = [DECIDED_BY[gap["reason"]] for gap in answer["lost"]]
    reason = DECIDED_BY.get(answer["reason"])
    return {"expect": {"verdict": "TOY-001", "reason": reason, "lost": lost, "end": "TOY-004"}}


def vector(slug: str, *requirements: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"toy-log/{slug}",
        "title": f"A vector called {slug}.",
        "format": "toy-log",
        "operation": "read",
        "kind": "valid",
        "requirements": list(requirements),
        "control": None,
        "made_by": {"recipe": f"toy_log.faults.{slug}"},
        "expect": INTACT,
        "expect_strict": more.get("expect", INTACT),
        "decided_by": decided_by(more.get("expect", INTACT)),
        **more,
    }


def damaged(slug: str, *requirements: str, operation: str, answer: Any) -> dict[str, Any]:
    return vector(
        slug,
        *requirements,
        kind="corrupt",
        control="toy-log/sound",
        made_by={"recipe": f"toy_log.faults.{slug}", "damage": [parse(operation)]},
        expect=answer,
    )


REGISTER = """id = "toy-log"
title = "A toy"
prefix = "TOY"
order = 1
log = ["file"]
file_names = ["toy"]
reasons.bad-sum = {words = "a bad sum", kinds = ["damage"], requirements = ["TOY-002"]}
reasons.torn-unit = {words = "a torn unit", kinds = ["torn"], requirements = ["TOY-004"]}
fields = {}

[decides]
verdict = "TOY-001"
end = "TOY-004"
strict = "TOY-001"

[[grammars]]
name = "toy_log"
default = true
"""


class ToyTree:
    """A toy source tree, with methods that break it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("spec/toy-log.md", CHAPTER)
        self.write("spec/toy-log.toml", REGISTER)
        write_tables(root)
        self.write("spec/conventions.md", "# Conventions\n\nFor example `**TOY-001 (MUST)**`.\n")
        self.write("ksy/toy_log.ksy", GRAMMAR)
        self.write("ksy/toy_sum.ksy", IMPORTED)
        self.write("conformance/recipes/toy_log/faults.py", RECIPES)
        self.write("reference_impl/toy_log.py", "# TOY-001: units; not a requirement: SHA-256\n")
        self.write("tests/test_toy.py", "# a made-up id of a prefix without a chapter: XYZ-001\n")
        self.write("Makefile", "# TOY-002\n")
        self.write(".build/generated.py", "# TOY-999\n")
        self.write("reports/report.txt", "TOY-999\n")
        self.add(vector("sound", "TOY-001"))
        flip, cut = (
            "flip bit 0 of units[0].head.sum.low",
            "truncate 1 bytes into units[0].body.digits",
        )
        self.add(damaged("flipped", "TOY-002", operation=flip, answer=lossy("damaged", "bad-sum")))
        self.add(damaged("cut", "TOY-004", operation=cut, answer=lossy("torn", "torn-unit")))
        self.known("flipped", cause="ignores-sums")

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text("utf-8")
        assert old in text
        self.write(path, text.replace(old, new, 1))

    def add(self, body: dict[str, Any]) -> None:
        self.write(f"vectors/{body['id']}.json", json.dumps(body))

    def body(self, slug: str) -> dict[str, Any]:
        path = self.root / "vectors" / "toy-log" / f"{slug}.json"
        body: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return body

    def change(self, slug: str, **parts: Any) -> None:
        self.add(self.body(slug) | parts)

    def known(self, slug: str, cause: str, times: int = 1, profile: str = "recover") -> None:
        entry = {
            "vector": f"toy-log/{slug}",
            "profile": profile,
            "result": "fail",
            "found": {"records": {"extra": 1, "sha256": "00000000"}},
            "cause": cause,
        }
        causes = {"ignores-sums": "It does not look at sums."}
        body = {"causes": causes, "failures": [entry] * times}
        self.write("conformance/implementations/toy/known-failures.json", json.dumps(body))


@pytest.fixture
def toy(tmp_path: Path) -> ToyTree:
    return ToyTree(tmp_path)


@pytest.fixture
def new_vector() -> Callable[..., dict[str, Any]]:
    return vector
