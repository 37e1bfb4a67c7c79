"""A small builder of run reports, and one realistic report made with it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.score import score

Answer = dict[str, Any]


def record(at: int, payload: bytes | str) -> dict[str, Any]:
    """Return a FULL record at offset `at`, seven bytes of header included."""
    data = payload.encode() if isinstance(payload, str) else payload
    return {"at": at, "size": 7 + len(data), "payload": data.hex()}


def answer(
    verdict: str,
    records: list[dict[str, Any]],
    lost: list[tuple[int, int, str]] = (),  # type: ignore[assignment]
    end: int | None = None,
    **more: Any,
) -> Answer:
    return {
        "verdict": verdict,
        "reason": lost[0][2] if lost else None,
        "records": records,
        "lost": [{"from": a, "to": b, "reason": reason} for a, b, reason in lost],
        "end": end,
        **more,
    }


class ReportBuilder:
    """Builds a run report step by step; the scores are computed at the end."""

    def __init__(self) -> None:
        self.report: dict[str, Any] = {
            "report_version": 1,
            "walproof": "0.1.0",
            "started": "2026-11-20T14:03:11Z",
            "seconds": 12.4,
            "vectors": {},
            "implementations": [],
        }

    def vector(
        self,
        slug: str,
        group: str,
        title: str = "",
        *,
        kind: str = "corrupt",
        requirements: tuple[str, ...] = ("LDB-028",),
        control: str | None = None,
        damage: tuple[str, ...] = (),
        size: int = 52,
        format_id: str = "leveldb-log",
    ) -> ReportBuilder:
        self.report["vectors"][f"{format_id}/{slug}"] = {
            "title": title or f"The vector {slug}.",
            "format": format_id,
            "group": group,
            "kind": kind,
            "requirements": list(requirements),
            "control": f"{format_id}/{control}" if control else None,
            "damage": list(damage),
            "size": size,
        }
        return self

    def implementation(
        self,
        name: str,
        *,
        title: str = "",
        language: str = "Go",
        version: str | None = "1.0.0",
        baseline: bool = False,
        status: str = "ran",
        because: str | None = None,
        reports: tuple[str, ...] = ("records", "at", "signals"),
    ) -> ReportBuilder:
        ran = status == "ran"
        self.report["implementations"].append(
            {
                "name": name,
                "title": title or f"the reader {name}",
                "version": version if ran else None,
                "language": language if ran else None,
                "homepage": f"https://example.org/{name}",
                "issues": f"https://example.org/{name}/issues",
                "status": status,
                "because": because,
                "baseline": baseline,
                "reports": list(reports) if ran else [],
                "profiles": ["recover", "strict"] if ran else [],
                "seconds": 1.2 if ran else None,
                "results": [],
                "score": None,
            }
        )
        return self

    def result(
        self,
        slug: str,
        outcome: str = "pass",
        *,
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
                "cause": None,
                "expected": None,
                "actual": None,
                "stderr": None,
                "repeat": f"walproof check --impl {implementation['name']} --vector {vector}",
                # A test may change its report; many results share the answers above.
                **copy.deepcopy(more),
            }
        )
        return self

    def others_pass(self, *profiles: str) -> ReportBuilder:
        """Add a pass for every vector without a result of the last implementation."""
        implementation = self.report["implementations"][-1]
        for profile in profiles or ("recover",):
            done = {r["vector"] for r in implementation["results"] if r["profile"] == profile}
            for vector in self.report["vectors"]:
                if vector not in done:
                    format_id, slug = vector.split("/")
                    self.result(slug, profile=profile, format_id=format_id)
        return self

    def build(self) -> dict[str, Any]:
        for implementation in self.report["implementations"]:
            if implementation["status"] == "ran":
                implementation["score"] = score(implementation["results"], self.report["vectors"])
        return self.report


ALPHA, BRAVO, CHARLIE = record(0, "alpha"), record(12, "bravo"), record(24, "charlie")
NEXT = record(32768, "delta")
SAMPLE_VECTORS = Path(__file__).with_name("sample_vectors.txt")


def _fill(builder: ReportBuilder) -> ReportBuilder:
    _, table = SAMPLE_VECTORS.read_text(encoding="utf-8").split("\n", 1)
    for entry in re.split(r"\n(?=\S)", table.strip()):
        head, title, *damage = (line.strip() for line in entry.splitlines())
        slug, group, vector_kind, requirements, control, size = (
            part.strip() for part in head.split("|")
        )
        builder.vector(
            slug,
            group,
            title,
            kind=vector_kind,
            requirements=tuple(requirements.split()),
            control=control or None,
            damage=tuple(damage),
            size=int(size),
        )
    return builder


CHECKSUM = answer("damaged", [ALPHA, NEXT], [(12, 32768, "checksum-mismatch")], 32780)
TYPE_5 = answer("damaged", [ALPHA, CHARLIE], [(12, 24, "unknown-type")], 38)
FULL_INSIDE = answer("damaged", [BRAVO, CHARLIE], [(0, 12, "incomplete-record")], 38)
ZERO_GAP = answer("damaged", [ALPHA, NEXT], [(12, 32768, "zero-gap")], 32780)
BIG = record(0, b"F" * 3000)


def realistic() -> dict[str, Any]:
    """Return a realistic run: every class, a timeout, a crash, baselines, two that did not run."""
    b = _fill(ReportBuilder())
    b.implementation(
        "specification",
        title="the executable specification",
        language="Python",
        version="0.1.0",
        reports=("records", "at", "size", "verdict", "reason", "lost", "end"),
    )
    b.others_pass("recover", "strict")

    b.implementation("goleveldb", title="goleveldb leveldb/journal")
    b.result(
        "full-inside-record",
        "known-failure",
        expected=FULL_INSIDE,
        actual={"records": [record(0, "alphabravo"), CHARLIE], "signals": []},
        difference="a joined record was invented",
        cause="While a record is open the reader does not look at the type of the next fragment.",
    )
    b.result("type-103", "unexpected-pass", difference="listed as a known failure, but it passed")
    b.result(
        "checksum-bit-flip",
        "fail",
        expected=CHECKSUM,
        actual={
            "records": [ALPHA, {**BRAVO, "payload": b"brbvo".hex()}, NEXT],
            "signals": ["leveldb/journal: block/chunk corrupted: checksum mismatch (32756 bytes)"],
        },
        difference="1 record that nobody wrote",
    )
    b.others_pass("recover", "strict")

    b.implementation("pebble", title="CockroachDB pebble/record", version="2.1.0")
    b.result(
        "zero-gap",
        "timeout",
        expected=ZERO_GAP,
        difference="no reply within 2000 ms",
        stderr="goroutine 1 [running]:\nrecord.(*Reader).nextChunk(0xc000012345)\n",
    )
    for slug in ("checksum-bit-flip", "length-crosses-block", "checksum-unmasked"):
        b.result(
            slug,
            "known-failure",
            expected=CHECKSUM,
            actual={"records": [ALPHA], "signals": ["pebble/record: unexpected EOF"]},
            difference="1 of 2 records missing",
            cause="The reader never resynchronises: an invalid chunk ends the log.",
        )
    b.others_pass("recover", "strict")

    b.implementation(
        "rusty-leveldb", title="rusty-leveldb src/log.rs", language="Rust", version="4.0.1"
    )
    b.result(
        "length-huge-at-end",
        "crash",
        expected=answer("damaged", [ALPHA, BRAVO], [(24, 38, "bad-length")]),
        difference="exit status 134 (SIGABRT)",
        stderr="thread 'main' panicked at src/log.rs:147:\nrange end index 65535 out of range\n"
        "\x1b[0mnote: RUST_BACKTRACE=1",
    )
    b.result(
        "zero-tail-4k",
        "over-limit",
        expected=answer("intact", [ALPHA, BRAVO, CHARLIE], end=38),
        difference="used 1,204 MiB, allowed are 256 MiB",
    )
    b.result(
        "type-5",
        "fail",
        expected=TYPE_5,
        actual={
            "records": [ALPHA, {"payload": (b"charlie" + bytes(range(13))).hex()}],
            "signals": [],
        },
        difference="records differ",
    )
    b.result(
        "orphan-middle",
        "protocol-error",
        difference='reply is not JSON: "thread panicked"',
        expected=answer("damaged", [BIG], [(0, 32768, "orphan-fragment")], 64530),
    )
    for slug in ("torn-header", "torn-record", "empty-record"):
        b.result(slug, "skipped", profile="strict", difference="the reader has no strict mode")
    b.others_pass("recover", "strict")

    b.implementation(
        "dfindexeddb",
        title="dfindexeddb leveldb/log.py",
        language="Python",
        version="20260210",
        reports=("records",),
    )
    b.result(
        "checksum-bit-flip",
        "known-failure",
        expected=CHECKSUM,
        actual={"records": [{"payload": r["payload"]} for r in (ALPHA, BRAVO, CHARLIE, NEXT)]},
        difference="2 records released that were lost",
        cause="It verifies no checksum.",
    )
    b.others_pass("recover")

    b.implementation("iq80", status="unavailable", because="neither mvn nor gradle is on the PATH")
    b.implementation(
        "my-reader",
        status="broken",
        because="no reply to hello within 2000 ms; it wrote: Traceback (most recent call last)",
    )
    for name, right in (("accepts-all", {"valid"}), ("refuses-all", set())):
        b.implementation(
            name, title="a null baseline", language="Python", version="0.1.0", baseline=True
        )
        for vector, described in b.report["vectors"].items():
            if (described["kind"] in right) or (not right and described["group"] == "dialects"):
                b.result(vector.split("/")[1])
            else:
                b.result(
                    vector.split("/")[1],
                    "fail",
                    expected=CHECKSUM,
                    actual=answer("refused", []),
                    difference="records differ",
                )
    return b.build()


@pytest.fixture
def builder() -> Callable[[], ReportBuilder]:
    return ReportBuilder


@pytest.fixture
def report() -> dict[str, Any]:
    return realistic()
