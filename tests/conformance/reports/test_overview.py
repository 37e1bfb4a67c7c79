"""The overview has one line per implementation, and groups similar failures."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from conformance.reports.overview import overview
from conformance.reports.summary import by_cause
from conformance.reports.terminal import print_overview, show_alike
from tests.conformance.reports.conftest import ReportBuilder


def answer(*payloads):
    return {"records": [{"payload": each.encode().hex(), "at": 0} for each in payloads]}


def wrong(expected, actual):
    return {"expected": answer(*expected), "actual": answer(*actual)}


def program(*results, name="mine", **more):
    """Return an implementation with results, each given as a slug, a class, and optional keys."""
    b = ReportBuilder().vector("a", "checksum")
    for slug in "bcd":
        b.vector(slug, "checksum", control="a")
    b.implementation(name, profiles=["recover"], **more)
    for slug, outcome, parts in results:
        b.result(slug, outcome, **parts)
    return b.build()["implementations"][0]


def printed(*implementations, width=80):
    out = io.StringIO()
    print_overview(implementations, Console(file=out, width=width))
    return out.getvalue().splitlines()


PASS = ("a", "pass", {})
LOSS = ("b", "fail", wrong("x", ""))


@pytest.mark.parametrize(
    ("results", "numbers"),
    [
        ([("b", "known-failure", wrong("xy", "x"))], (1, 0, 0)),
        ([("b", "fail", wrong("x", "xz"))], (0, 1, 0)),
        ([("b", "fail", wrong("x", "xx"))], (0, 1, 0)),
        ([("b", "fail", wrong("x", "x"))], (0, 0, 0)),
        # Results for the same log in two profiles count once.
        ([LOSS, ("b", "fail", LOSS[2] | {"profile": "strict"})], (1, 0, 0)),
        # A reader that gives no answer counts as silent. Writers never give an answer, so this
        # result does not count.
        ([("b", "crash", {"expected": answer("x")})], (0, 0, 1)),
        ([("b", "fail", {"expected": answer("x"), "profile": "write"})], (0, 0, 0)),
    ],
)
def test_lost_and_invented_records_are_counted(results, numbers):
    row = overview(program(*results))
    assert (row.loses, row.invents, row.silent) == numbers


def test_skipped_results_are_listed_and_not_counted():
    skipped = {"difference": "no such compression here"}
    strict = ("b", "skipped", {"profile": "strict", "difference": "not a profile of the reader"})
    mine = program(PASS, ("b", "skipped", skipped), ("c", "pass", {}), ("d", "skipped", skipped))
    assert overview(mine).totals == {"recover": 1}
    assert printed(mine)[-1] == "not counted, since skipped: mine 2 (no such compression here: 2)"
    assert "skipped" not in " ".join(printed(program(PASS, strict)))


def test_writes_and_appends_have_a_score_of_their_own():
    append = {"profile": "append"}
    mine = program(PASS, ("b", "pass", {}), ("b", "fail", append), ("c", "pass", append))
    heads, _, row = printed(mine)[:3]
    assert heads.split() == ["loses", "invents", "silent", "recover", "append"]
    assert row.split() == ["mine", "1/1", "1/2"]


@pytest.mark.parametrize("width", [60, 80])
def test_the_table_fits_and_shows_losses_first(width):
    lines = printed(
        program(PASS, LOSS, name="a-name-that-is-longer-than-there-is-room"),
        program(("a", "fail", {}), name="null: intact", baseline=True),
        width=width,
    )
    assert max(map(len, lines)) <= width
    assert lines[0].split() == ["loses", "invents", "silent", "recover"]
    assert lines[2].split() == ["a-name-that-is-longer-t…", "1", "0/1"]
    assert lines[3].startswith("── null baselines")


def failures(*results):
    mine = program(*results)
    return [(mine, each) for each in mine["results"]]


@pytest.mark.parametrize(
    ("differences", "groups"),
    [
        (['records: expected 3, found 0: "x" (1 byte)', "exit status 1",
          'records: expected 5, found 1: "y" (1 byte)'], ["ac", "b"]),
        (["lost: expected [1, 2) bad, found [1, 3) bad",
          "lost: expected [1, 2) bad, [5, 6) bad, found [1, 3) bad, [4, 5) bad, [7, 8) bad",
          "lost: expected [1, 2) odd, found [1, 3) bad",
          "lost: expected [1, 2) bad, found none"], ["ab", "c", "d"]),
    ],
)  # fmt: skip
def test_groups_ignore_numbers_and_texts(differences, groups):
    results = [
        (slug, "fail", {"difference": text})
        for slug, text in zip("abcd", differences, strict=False)
    ]
    golden = {"format": "leveldb-log", "requirements": [], "damage": [], "size": 50}
    report = {"vectors": {f"leveldb-log/{slug}": golden for slug in "abcd"}}
    found = by_cause(report, failures(*results))
    assert ["".join(each["vector"][-1] for _, each in group) for group in found] == groups


def test_the_simplest_log_of_a_group_is_first():
    sizes = {"a": (0, 9), "b": (1, 900), "c": (1, 50), "d": (2, 5)}
    vectors = {
        f"leveldb-log/{slug}": {"format": "leveldb-log", "requirements": [], "size": size,
                                "damage": ["flip"] * damages}
        for slug, (damages, size) in sizes.items()
    }  # fmt: skip
    results = [(slug, "fail", {"difference": "records: expected 1, found 0"}) for slug in sizes]
    (group,) = by_cause({"vectors": vectors}, failures(*results))
    assert [each["vector"][-1] for _, each in group] == ["c", "b", "d", "a"]


def test_similar_failures_are_counted_and_named():
    out = io.StringIO()
    names = [f"leveldb-log/v{n}" for n in range(15)]
    alike = [{"vector": name, "profile": "recover"} for name in names]
    shown = {"vector": "shown", "profile": "recover"}
    show_alike(shown, [{**shown, "profile": "strict"}, *alike], Console(file=out, width=80))
    output = " ".join(out.getvalue().split())
    assert output.startswith("the same in 16 more results: this one in strict, leveldb-log/v0,")
    assert output.endswith("leveldb-log/v11 and 3 more")
