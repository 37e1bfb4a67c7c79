"""One line for each implementation, and groups of similar failures."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from conformance.reports.overview import overview, print_overview
from conformance.reports.summary import by_cause
from conformance.reports.terminal import show_alike
from conformance.score import score


def answer(*payloads):
    return {"records": [{"payload": each.encode().hex(), "at": 0} for each in payloads]}


def result(vector, outcome="pass", profile="recover", expected=None, actual=None, difference=None):
    return {
        "vector": f"leveldb-log/{vector}", "profile": profile, "class": outcome,
        "expected": expected, "actual": actual, "difference": difference,
    }  # fmt: skip


# ``a`` is the control of the others.
VECTORS = {
    f"leveldb-log/{name}": {
        "group": "checksum",
        "control": None if name == "a" else "leveldb-log/a",
    }
    for name in "abcd"
}


def implementation(*results, name="mine", baseline=False):
    return {
        "name": name, "status": "ran", "baseline": baseline, "results": list(results),
        "score": score(results, VECTORS), "profiles": ["recover"],
    }  # fmt: skip


def printed(*implementations, width=80):
    out = io.StringIO()
    print_overview(implementations, Console(file=out, width=width))
    return out.getvalue().splitlines()


class TestOverview:
    def test_a_missing_record_is_a_loss(self):
        row = overview(
            implementation(
                result("a"),
                result("b", "known-failure", expected=answer("x", "y"), actual=answer("x")),
                result("c", "fail", expected=answer("x"), actual=answer("x", "z")),
                result("d", "fail", expected=answer("x"), actual=answer("x")),
            )
        )
        assert (row.loses, row.invents, row.silent) == (1, 1, 0)
        assert (row.passed, row.totals) == ({"recover": 0}, {"recover": 3})

    def test_a_duplicate_record_is_invented(self):
        row = overview(
            implementation(result("a", "fail", expected=answer("x"), actual=answer("x", "x")))
        )
        assert (row.loses, row.invents) == (0, 1)

    def test_one_log_in_two_profiles_is_one_log(self):
        lost = {"expected": answer("x"), "actual": answer()}
        row = overview(
            implementation(result("a", "fail", **lost), result("a", "fail", "strict", **lost))
        )
        assert row.loses == 1

    def test_a_missing_answer_is_silent_and_not_a_loss(self):
        row = overview(
            implementation(
                result("a", "crash", expected=answer("x")),
                result("b", "fail", "write", expected=answer("x"), difference="refused"),
            )
        )
        assert (row.loses, row.silent) == (0, 1)
        assert row.passed == {"recover": 0, "write": 0}

    def test_skipped_results_are_listed_and_not_counted(self):
        skipped = result("b", "skipped", difference="no such compression here")
        tested = implementation(
            result("a"), skipped, result("c"), {**skipped, "vector": "leveldb-log/d"}
        )
        assert overview(tested).totals == {"recover": 1}
        note = "not counted, since skipped: mine 2 (no such compression here: 2)"
        assert printed(tested)[-1] == note

    def test_an_unsupported_profile_is_not_listed_as_skipped(self):
        tested = implementation(result("a"), result("b", "skipped", "strict", difference="no"))
        assert "skipped" not in " ".join(printed(tested))

    def test_writes_and_appends_have_a_score_of_their_own(self):
        mine = implementation(
            result("a"), result("b"), result("b", "fail", "append"), result("c", profile="append")
        )
        heads, _, row = printed(mine)[:3]
        assert heads.split() == ["loses", "invents", "silent", "recover", "append"]
        assert row.split() == ["mine", "1/1", "1/2"]

    @pytest.mark.parametrize("width", [60, 80])
    def test_the_table_fits_and_shows_losses_first(self, width):
        lost = result("b", "fail", expected=answer("x"), actual=answer())
        lines = printed(
            implementation(result("a"), lost, name="a-name-that-is-longer-than-there-is-room"),
            implementation(result("a", "fail"), name="null: intact", baseline=True),
            width=width,
        )
        assert max(map(len, lines)) <= width
        assert lines[0].split() == ["loses", "invents", "silent", "recover"]
        assert lines[2].split() == ["a-name-that-is-longer-t…", "1", "0/1"]
        assert lines[3].startswith("── null baselines")


class TestCauses:
    def test_groups_ignore_numbers_and_texts(self):
        program = implementation()
        several = [
            (program, result("a", "fail", difference='records: expected 3, found 0: "x" (1 byte)')),
            (program, result("b", "crash", difference="exit status 1")),
            (program, result("c", "fail", difference='records: expected 5, found 1: "y" (1 byte)')),
            (program, result("d", "fail", "write", difference="records: expected 3, found 0: …")),
        ]
        groups = by_cause(several)
        assert [[each["vector"][-1] for _, each in group] for group in groups] == [
            ["a", "c"], ["b"], ["d"],
        ]  # fmt: skip

    def test_groups_ignore_the_number_of_lost_ranges(self):
        program = implementation()
        differences = {
            "a": "[1, 2) bad, found [1, 3) bad",
            "b": "[1, 2) bad, [5, 6) bad, found [1, 3) bad, [4, 5) bad, [7, 8) bad",
            "c": "[1, 2) odd, found [1, 3) bad",
            "d": "[1, 2) bad, found none",
        }
        several = [
            (program, result(name, "fail", difference=f"lost: expected {text}"))
            for name, text in differences.items()
        ]
        groups = by_cause(several)
        assert [[each["vector"][-1] for _, each in group] for group in groups] == [
            ["a", "b"], ["c"], ["d"],
        ]  # fmt: skip

    def test_similar_failures_are_counted_and_named(self):
        out = io.StringIO()
        alike = [result("shown", profile="strict"), *(result(f"v{n}") for n in range(15))]
        show_alike(result("shown"), alike, Console(file=out, width=80))
        output = " ".join(out.getvalue().split())
        assert output.startswith("the same in 16 more results: this one in strict, leveldb-log/v0,")
        assert output.endswith("leveldb-log/v11 and 3 more")
