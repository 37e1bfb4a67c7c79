"""``walproof check`` handles ``--impl``, ``--update-known`` and ``--baseline``."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from conformance.registry import Implementation
from tests.conformance.checked import SMALL, results
from walproof.cli import check as check_module
from walproof.cli import program_options


class TestOurs:
    """Checks of an implementation in the repository, which is here in a temporary directory."""

    @pytest.fixture
    def ours(self, tmp_path, wrong, monkeypatch):
        def replace(name, needs=(), optional=False):
            implementation = Implementation(
                folder=tmp_path,
                name="mine",
                title="mine",
                formats=("leveldb-log",),
                needs=tuple(needs),
                build=(),
                inputs=(),
                command_template=tuple(shlex.split(wrong(name))),
                optional=optional,
            )
            for module in (check_module, program_options):
                monkeypatch.setattr(module, "all_implementations", lambda: [implementation])
            return tmp_path / "known-failures.json"

        monkeypatch.delenv("CI", raising=False)
        return replace

    def test_the_life_of_a_known_failure(self, check, ours, report):
        path = ours("ignores_checksums")
        assert check("--impl", "mine", *SMALL).status == 3
        assert not path.exists()

        update = ("--impl", "mine", *SMALL, "--update-known")
        nameless = check(*update, "--cause", "blind")
        assert nameless.status == 1 and "mine has no such cause" in nameless.err
        assert not path.exists()
        sentence = "It never looks at the checksum."
        updated = check(*update, "--cause", "blind", "--because", sentence)
        assert updated.status == 0 and "1 known failures, 0 without a cause" in updated.out
        listed = json.loads(path.read_text())
        assert [entry["cause"] for entry in listed["failures"]] == ["blind"]
        assert listed["causes"] == {"blind": sentence}
        # The failure is now listed as known, so the same command succeeds.
        assert check(*update, "--cause", "blind").status == 0

        assert check("--impl", "mine", *SMALL).status == 0
        known = results(report())["payload-flipped-in-second-record"]
        assert (known["class"], known["cause"]) == ("known-failure", listed["causes"]["blind"])
        assert report()["implementations"][0]["score"]["pairs_passed"] == 0

        ours("breakable_reader")
        assert check("--impl", "mine", *SMALL).status == 3
        right = results(report())["payload-flipped-in-second-record"]
        assert right["class"] == "unexpected-pass"

        check("--impl", "mine", *SMALL, "--update-known")
        assert not path.exists()
        assert check("--impl", "mine", *SMALL).status == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--cause", "blind"), "require --update-known"),
            (("--because", "It is."), "require --update-known"),
            (("--update-known", "--because", "It is."), "requires --cause NAME"),
            (("--update-known", "--cause", "blind", "--because", " "), "requires --cause NAME"),
        ],
    )
    def test_cause_options_need_each_other(self, check, ours, options, message):
        path = ours("ignores_checksums")
        outcome = check("--impl", "mine", *SMALL, *options)
        assert outcome.status == 1 and message in " ".join(outcome.err.split())
        assert not path.exists()

    def test_unread_formats_are_not_shown(self, check, ours, report):
        ours("breakable_reader")
        outcome = check("--impl", "mine", "--vector", "empty-*", "--profile", "recover")
        assert outcome.status == 0
        assert "kahadb" not in outcome.out and "zmq" not in outcome.out
        assert {v["format"] for v in report()["vectors"].values()} == {"leveldb-log"}
        for entry in report()["implementations"]:
            assert {r["vector"].split("/")[0] for r in entry["results"]} == {"leveldb-log"}

    def test_a_broken_list_is_a_defect_of_the_suite(self, check, ours):
        ours("breakable_reader").write_text("{}")
        outcome = check("--impl", "mine", *SMALL)
        assert outcome.status == 1 and "known-failures.json: expected causes" in outcome.err

    def test_unavailable_implementations_count_if_requested_or_in_ci(
        self, check, ours, report, monkeypatch
    ):
        ours("breakable_reader", needs=["no-such-tool"])
        assert check("--impl", "mine", *SMALL).status == 3
        assert report()["implementations"][0]["because"] == "no-such-tool not found"
        assert check(*SMALL).status == 0
        monkeypatch.setenv("CI", "true")
        assert check(*SMALL).status == 3

    def test_optional_implementations_count_only_if_requested(self, check, ours, monkeypatch):
        ours("breakable_reader", needs=["no-such-tool"], optional=True)
        monkeypatch.setenv("CI", "true")
        outcome = check(*SMALL)
        assert outcome.status == 0 and "no-such-tool not found" in outcome.out
        assert check("--impl", "mine", *SMALL).status == 3


class TestBaseline:
    @pytest.fixture
    def run(self, check, wrong, tmp_path):
        """Return a function that checks different readers under the same command."""
        script = tmp_path / "reader.py"

        def checked(name, *arguments):
            program = shlex.split(wrong(name))
            script.write_text(f"import os; os.execv({program[0]!r}, {program!r})")
            return check("--cmd", f"{sys.executable} {script}", *SMALL, *arguments)

        return checked

    @pytest.fixture
    def baseline(self, run, tmp_path):
        """Return a function that checks a reader and moves the report to a separate directory."""

        def of(name):
            run(name)
            return (tmp_path / "report").rename(tmp_path / "before")

        return of

    def test_a_regression_is_shown_and_exits_3(self, run, baseline):
        before = baseline("breakable_reader")
        outcome = run("ignores_checksums", "--baseline", before)
        assert outcome.status == 3
        assert "Changes since" in outcome.out and "1 regression" in outcome.out

    def test_an_improvement_or_no_change_exits_0(self, run, baseline):
        before = baseline("ignores_checksums")
        outcome = run("breakable_reader", "--baseline", before / "report.json")
        assert outcome.status == 0 and "1 improvement" in outcome.out
        assert "No regressions." in outcome.out

    def test_an_invalid_report_is_an_error(self, run, tmp_path):
        (tmp_path / "other.json").write_text("{}")
        assert run("breakable_reader", "--baseline", tmp_path / "other.json").status == 1
        assert run("breakable_reader", "--baseline", tmp_path).status == 1
        assert run("breakable_reader", "--baseline", tmp_path / "nothing.json").status == 1
