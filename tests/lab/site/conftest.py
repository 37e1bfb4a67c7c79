"""A site with a few vectors, built in seconds from a report that this module writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conformance import known_failures
from conformance.baselines import BASELINES
from conformance.registry import FOLDER
from conformance.reports import json_report
from conformance.score import score
from conformance.vector_cases import cases_of
from conformance.vectors import Vector, load_all
from lab.site import build
from lab.site.indexed_report import IndexedReport, run_of

#: The site is built with these vectors. They cover damaged, intact, empty and large logs of two
#: formats, a directory, and all four operations.
CHOSEN = (
    "leveldb-log/first-then-full",
    "leveldb-log/four-short-records",
    "leveldb-log/empty-log",
    "leveldb-log/every-prefix-of-three-blocks",
    "leveldb-log/append-behind-a-torn-header",
    "kahadb-journal/a-sibling-among-the-files",
    "kahadb-journal/two-files",
    "kahadb-journal/write-a-batch-of-exactly-the-limit",
)

#: Text from a program's hello message, which must be escaped.
FOREIGN = "</p><script>alert(1)</script>\u202egol.\x1b[31m"

SCRIPT = "javascript:alert(1)"

#: An implementation with a known failure on one of the chosen vectors.
FAILING = "goleveldb"


@pytest.fixture(scope="session")
def tree() -> dict[str, Vector]:
    return load_all()


@pytest.fixture(scope="session")
def report(tree: dict[str, Vector]) -> dict[str, Any]:
    chosen = {id: tree[id] for id in CHOSEN}
    facts = {
        id: {
            **{
                key: each.body[key]
                for key in ("title", "format", "group", "kind", "requirements", "size")
            },
            # The last vector has moved to another group since the run.
            **({"group": "once"} if id == CHOSEN[-1] else {}),
            "control": each.control,
            "damage": each.damage_texts,
            "input": f"vectors/{id}.log",
            **({"to_write": ["alpha"]} if "records" in each.body else {}),
        }
        for id, each in chosen.items()
    }
    created = {
        "report_version": 2,
        "walproof": "0.1.0",
        "started": "2026-11-20T14:03:11Z",
        "seconds": 12.4,
        "vectors": facts,
        "implementations": [
            _implementation("executable-spec", chosen, facts, lambda *_: {"class": "pass"}),
            _implementation(FAILING, chosen, facts, _as_listed, formats=("leveldb-log",)),
            _implementation("stranger", chosen, facts, _stranger, version=FOREIGN, homepage=SCRIPT),
            {**_blank("missing"), "status": "unavailable", "because": "go not found"},
            *(
                _implementation(each.name, chosen, facts, _nothing, baseline=True)
                for each in BASELINES
            ),
        ],
    }
    json_report.json_text(created)  # validates
    return created


Say = Callable[[Vector, str], dict[str, Any]]


def _blank(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": f"the reader {name}",
        "version": "1.0",
        "language": "Go",
        "homepage": "https://example.org/reader",
        "issues": None,
        "status": "ran",
        "because": None,
        "baseline": False,
        "reports": ["records", "signals"],
        "profiles": ["recover", "strict", "write", "append"],
        "seconds": 0.5,
        "results": [],
        "score": None,
        **more,
    }


def _implementation(
    name: str,
    chosen: dict[str, Vector],
    facts: dict[str, Any],
    say: Say,
    formats: tuple[str, ...] = (),
    **more: Any,
) -> dict[str, Any]:
    results = [
        {
            "vector": id,
            "profile": profile,
            "class": "pass",
            "ms": 1.0,
            **dict.fromkeys(("difference", "found", "cause", "expected", "actual", "stderr")),
            "repeat": f"walproof check --impl {name} --vector {id}",
            **say(each, profile),
        }
        for id, each in chosen.items()
        if not formats or each.body["format"] in formats
        for profile in [case.profile for case in cases_of([each])]
    ]
    return {**_blank(name, **more), "results": results, "score": score(results, facts)}


def _as_listed(vector: Vector, profile: str) -> dict[str, Any]:
    """Return the result of ``FAILING`` for a vector, according to its list of known failures."""
    listed = known_failures.load(FOLDER / FAILING / "known-failures.json")
    entry = listed.entries.get((vector.id, profile))
    if entry is None:
        return {"class": "pass"}
    return {
        "class": "known-failure",
        "difference": "records: expected 2, found 1",
        "found": entry.found,
        "cause": listed.causes[entry.cause],
        "expected": vector.body["expect"],
        "actual": {"records": [{"payload": b"bravocharlie".hex()}], "signals": []},
    }


def _stranger(vector: Vector, profile: str) -> dict[str, Any]:
    if profile != "recover":
        return {"class": "skipped", "difference": FOREIGN}
    return {
        "class": "crash",
        "difference": f"it died: {FOREIGN}",
        "expected": vector.body["expect"],
    }


def _nothing(vector: Vector, profile: str) -> dict[str, Any]:
    return {"class": "fail", "difference": "records: none", "expected": vector.body["expect"]}


@pytest.fixture(scope="session")
def run(report: dict[str, Any], tree: dict[str, Vector]) -> IndexedReport:
    return run_of(report, tree)


class Page(HTMLParser):
    """The names, links and tags of a page, and the resources that the page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag (see ``html.parser``)."""
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        target = attributes.get("src") or attributes.get("href") or attributes.get("action")
        if target:
            (self.loads if tag in ("script", "img", "link") else self.links).append(target)


@dataclass
class Site:
    """A built site, and its pages by their paths."""

    out: Path
    pages: dict[str, Page]

    def text(self, place: str) -> str:
        return self.pages[place].text


@pytest.fixture(scope="session")
def site(run: IndexedReport, tmp_path_factory: pytest.TempPathFactory) -> Site:
    out = tmp_path_factory.mktemp("site") / "out"
    build.build(run, out)
    pages = {
        path.relative_to(out).as_posix(): Page(path.read_text("utf-8"))
        for path in sorted(out.rglob("*.html"))
    }
    return Site(out, pages)
