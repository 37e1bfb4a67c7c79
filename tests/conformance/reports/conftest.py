"""A builder for small run reports, and a realistic report that it builds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from conformance import VECTORS
from conformance.compare import differences
from conformance.run_report import describe_vector
from conformance.score import score
from conformance.vectors import Vector, load


def record(at: int, payload: str) -> dict[str, Any]:
    """Return a FULL record at offset ``at``. Its size includes the seven-byte header."""
    return {"at": at, "size": 7 + len(payload), "payload": payload.encode().hex()}


class ReportBuilder:
    """A builder that assembles a run report step by step and computes the scores at the end."""

    def __init__(self) -> None:
        self.golden: dict[str, Vector] = {}
        self.report: dict[str, Any] = {
            "report_version": 2,
            "walproof": "0.1.0",
            "started": "2026-11-20T14:03:11Z",
            "seconds": 12.4,
            "vectors": {},
            "implementations": [],
        }

    def vector(
        self, slug: str, group: str, control: str | None = None, format_id: str = "leveldb-log"
    ) -> ReportBuilder:
        """Add a vector that exists only in this report."""
        self.report["vectors"][f"{format_id}/{slug}"] = {
            "title": f"The vector {slug}.",
            "format": format_id,
            "group": group,
            "kind": "corrupt" if control else "valid",
            "requirements": ["LDB-028"],
            "control": f"{format_id}/{control}" if control else None,
            "damage": [],
            "size": 52,
        }
        return self

    def load(self, *slugs: str) -> ReportBuilder:
        """Add vectors from the real set."""
        for slug in slugs:
            vector = load(VECTORS / "leveldb-log" / f"{slug}.json")
            self.golden[slug] = vector
            self.report["vectors"][vector.id] = describe_vector(vector)
        return self

    def implementation(
        self, name: str, reports: tuple[str, ...] = ("records", "at", "signals"), **more: Any
    ) -> ReportBuilder:
        self.report["implementations"].append(
            {
                "name": name,
                "title": f"the reader {name}",
                "version": "1.0.0",
                "language": "Go",
                "homepage": f"https://example.org/{name}",
                "issues": None,
                "status": "ran",
                "because": None,
                "baseline": False,
                "reports": list(reports),
                "profiles": ["recover", "strict"],
                "seconds": 1.2,
                "repeat": f"walproof check --impl {name}",
                "results": [],
                "score": None,
                **more,
            }
        )
        return self

    def result(
        self,
        slug: str,
        outcome: str = "pass",
        profile: str = "recover",
        format_id: str = "leveldb-log",
        **more: Any,
    ) -> ReportBuilder:
        implementation = self.report["implementations"][-1]
        vector = f"{format_id}/{slug}"
        implementation["results"].append(
            {
                "vector": vector,
                "profile": profile,
                "class": outcome,
                "ms": 0.8,
                "difference": None,
                "found": None,
                "cause": None,
                "expected": None,
                "actual": None,
                "stderr": None,
                "repeat": f"walproof check --impl {implementation['name']}"
                f" --vector {vector} --profile {profile}",
                **more,
            }
        )
        return self

    def wrong(
        self, slug: str, outcome: str, records: list[dict[str, Any]], *signals: str, **more: Any
    ) -> ReportBuilder:
        """Add a wrong answer to a real vector, with the difference from the expected answer."""
        expected = self.golden[slug].body["expect"]
        actual = {"records": records, "signals": list(signals)}
        reports = self.report["implementations"][-1]["reports"]
        found = differences(expected, actual, reports)
        more["difference"] = "; ".join(found)
        more["found"] = {each.part: each.found for each in found}
        return self.result(slug, outcome, expected=expected, actual=actual, **more)

    def others_pass(self, *profiles: str) -> ReportBuilder:
        """Let the last implementation pass every vector for which it has no result yet."""
        implementation = self.report["implementations"][-1]
        for profile in profiles or ("recover",):
            done = {r["vector"] for r in implementation["results"] if r["profile"] == profile}
            for vector in self.report["vectors"].keys() - done:
                format_id, slug = vector.split("/")
                self.result(slug, profile=profile, format_id=format_id)
        return self

    def build(self) -> dict[str, Any]:
        for implementation in self.report["implementations"]:
            if implementation["status"] == "ran":
                implementation["score"] = score(implementation["results"], self.report["vectors"])
        return in_order(copy.deepcopy(self.report))


def in_order(report: dict[str, Any]) -> dict[str, Any]:
    """Sort the results of a report by vector and profile, as in a real run."""
    order = list(report["vectors"])
    for each in report["implementations"]:
        each["results"].sort(key=lambda r: (order.index(r["vector"]), r["profile"]))
    return report


ALPHA, BRAVO, BRBVO = record(0, "alpha"), record(12, "bravo"), record(12, "brbvo")
FLIPPED = "payload-flipped-in-second-record"


def realistic() -> dict[str, Any]:
    """Return a realistic run with every class, a baseline, and two programs that did not run."""
    b = ReportBuilder().load(
        "three-records", FLIPPED, "two-blocks", "checksum-flipped-in-first-block",
        "type-flipped-to-unknown", "checksum-stored-unmasked", "zero-tail-of-two-blocks",
    )  # fmt: skip
    b.implementation("specification").others_pass("recover", "strict")

    b.implementation("goleveldb")
    b.wrong(FLIPPED, "fail", [ALPHA, BRBVO], "checksum mismatch", stderr="bad \x1b[0m block")
    for slug in ("type-flipped-to-unknown", "checksum-stored-unmasked"):
        b.wrong(slug, "known-failure", [ALPHA, BRAVO], "mismatch", cause="It ignores the type.")
    b.result("two-blocks", "unexpected-pass", difference="listed as a known failure, but correct")
    b.others_pass("recover", "strict")

    b.implementation("rusty-leveldb", reports=("records",), language="Rust")
    expected = b.golden["checksum-flipped-in-first-block"].body["expect"]
    for slug, outcome, difference in (
        (FLIPPED, "crash", "exit status 134 (SIGABRT)"),
        ("checksum-flipped-in-first-block", "timeout", "no reply within 2 s"),
        ("zero-tail-of-two-blocks", "over-limit", "more than 256 MiB of memory"),
        ("checksum-stored-unmasked", "protocol-error", 'not JSON: "thread panicked"'),
    ):
        stderr = "thread 'main' panicked at src/log.rs:147:\n\x1b[0mnote: RUST_BACKTRACE=1"
        b.result(slug, outcome, expected=expected, difference=difference, stderr=stderr)
    b.wrong("three-records", "fail", [{"payload": each["payload"]} for each in (ALPHA, BRAVO)])
    b.result(FLIPPED, "skipped", profile="strict", difference="the reader has no strict mode")
    b.others_pass("recover", "strict")

    absent = {"version": None, "language": None, "seconds": None}
    b.implementation("iq80", status="unavailable", because="mvn is not on the PATH", **absent)
    b.implementation("my-reader", status="broken", because="hello: no reply", **absent)
    b.implementation("null: refused", baseline=True)
    b.wrong(FLIPPED, "fail", []).others_pass()
    return b.build()


@pytest.fixture
def builder() -> Callable[[], ReportBuilder]:
    return ReportBuilder


@pytest.fixture
def report() -> dict[str, Any]:
    return realistic()
