"""``walproof check`` has the right exit status, output and reports for any program."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from conformance import VECTORS
from conformance.vectors import load
from tests.conformance.checked import SMALL, results
from walproof.cli import check as check_module
from walproof.cli.near_names import did_you_mean


class TestAnyProgram:
    def test_a_correct_program_exits_0(self, check, wrong, report, tmp_path):
        outcome = check("--cmd", wrong("breakable_reader"), *SMALL)
        assert outcome.status == 0, outcome.out
        by_vector = results(report())
        # A run of chosen vectors also includes their controls.
        assert set(by_vector) == {"one-record", "payload-flipped-in-second-record", "three-records"}
        assert {result["class"] for result in by_vector.values()} == {"pass"}
        assert ElementTree.parse(tmp_path / "report" / "junit.xml").getroot().tag == "testsuites"
        assert "<html" in (tmp_path / "report" / "report.html").read_text("utf-8")

    def test_a_profile_without_vectors_is_a_usage_error(self, check, wrong):
        command = wrong("breakable_reader")
        outcome = check("--cmd", command, "--vector", "one-record", profile="write")
        assert outcome.status == 1
        assert "--profile write: nothing to run: the chosen vectors are for read" in outcome.err

    def test_a_program_without_hello_is_named(self, check, tmp_path):
        dead = f"{shlex.quote(sys.executable)} -c pass"
        outcome = check("--cmd", dead, "--vector", "one-record")
        assert outcome.status == 3
        assert "no reply to hello" in outcome.err and "treated as a one-shot program" in outcome.err
        assert "which is up to 20 times as fast" in outcome.err

    def test_the_error_of_a_program_that_cannot_start_is_shown(self, check, tmp_path, two_formats):
        broken = tmp_path / "broken.py"
        broken.write_text("import no_such_module\n")
        outcome = check("--cmd", shlex.join([sys.executable, str(broken)]))
        assert outcome.status == 1
        assert "ModuleNotFoundError: No module named 'no_such_module'" in outcome.err
        assert "choose one with --format" in outcome.err and "kahadb-journal" in outcome.err

    def test_a_vector_file_is_accepted(self, check, wrong, tmp_path):
        slug = "checksum-flipped-in-first-record"
        for suffix in (".json", ".log"):
            shutil.copy(VECTORS / "leveldb-log" / f"{slug}{suffix}", tmp_path)
        outcome = check("--cmd", wrong("hides_damage"), "--vector", tmp_path / f"{slug}.json")
        assert outcome.status == 3 and f"leveldb-log/{slug}" in outcome.out
        broken = tmp_path / "broken.json"
        broken.write_text("{}")
        outcome = check("--cmd", wrong("hides_damage"), "--vector", broken)
        assert outcome.status == 1 and "broken.json" in outcome.err

    def test_a_broken_vector_file_is_a_defect_of_the_suite(
        self, check, wrong, vectors, monkeypatch
    ):
        broken = vectors["leveldb-log/one-record"]
        broken = replace(broken, body={**broken.body, "sha256": "0" * 64})
        monkeypatch.setattr(check_module, "load_all", lambda: {broken.id: broken})
        outcome = check("--cmd", wrong("breakable_reader"))
        assert outcome.status == 1
        assert "expected sha256 000" in outcome.err and "restore it from git" in outcome.err

    def test_a_failing_program_exits_3_and_is_shown(self, check, wrong, report):
        outcome = check("--cmd", wrong("ignores_checksums"), *SMALL)
        assert outcome.status == 3
        for text in (
            "leveldb-log/payload-flipped-in-second-record",
            "LDB-028",
            'record 1: expected nothing, found "brcvo"',
            "vectors/leveldb-log/payload-flipped-in-second-record.log",
            "repeat it with",
            "walproof ask --cmd",
        ):
            assert text in outcome.out, text
        by_vector = results(report())
        assert by_vector.pop("payload-flipped-in-second-record")["class"] == "fail"
        assert {result["class"] for result in by_vector.values()} == {"pass"}

    def test_the_repeat_command_repeats_the_failure(self, check, walproof, wrong, report, tmp_path):
        check("--cmd", wrong("ignores_checksums"), *SMALL)
        failed = results(report())["payload-flipped-in-second-record"]
        program, *arguments = shlex.split(failed["repeat"])
        assert program == "walproof"
        again = walproof(*arguments, "--out", tmp_path / "report", "--jobs", 1)
        assert again.status == 3
        repeated = results(report())
        assert set(repeated) == {"payload-flipped-in-second-record", "three-records"}
        assert repeated["payload-flipped-in-second-record"]["difference"] == failed["difference"]

    def test_a_one_shot_program_is_recognised_and_repeated_as_one(self, check, wrong, report):
        outcome = check("--cmd", wrong("one_shot_hides_damage"), *SMALL)
        assert outcome.status == 3
        by_vector = results(report())
        assert by_vector["one-record"]["class"] == "pass"
        result = by_vector["payload-flipped-in-second-record"]
        assert "verdict: expected damaged, found intact" in result["difference"]
        assert "--one-shot --vector" in result["repeat"] and "--one-shot --vector" in result["ask"]
        assert report()["implementations"][0]["name"] == "one_shot_hides_damage.py"

    def test_the_one_shot_form_can_be_requested(self, check, wrong, report):
        assert check("--one-shot", "--cmd", wrong("breakable_reader"), *SMALL).status == 0
        assert report()["implementations"][0]["version"] == ""

    def test_several_programs_have_unique_names_from_their_hello(self, check, wrong, report):
        reader = wrong("breakable_reader")
        commands = [reader, f"{reader} ", wrong("cries_wolf")]
        outcome = check(*(word for command in commands for word in ("--cmd", command)), *SMALL)
        assert outcome.status == 3
        ran = report()["implementations"][:3]
        assert [each["title"] for each in ran] == commands
        assert [each["name"] for each in ran] == ["Reader", "Reader (2)", "CriesWolf"]

    @pytest.fixture
    def two_formats(self, monkeypatch):
        """Replace the vectors by a few vectors of two formats."""
        paths = [*VECTORS.glob("leveldb-log/o*.json"), *VECTORS.glob("kahadb-journal/o*.json")]
        few = {vector.id: vector for vector in map(load, paths) if vector.control is None}
        monkeypatch.setattr(check_module, "load_all", lambda: dict(few))

    def test_a_one_shot_program_needs_a_format(self, check, wrong, report, two_formats):
        command = wrong("one_shot_hides_damage")
        outcome = check("--cmd", command)
        assert outcome.status == 1
        assert "a one-shot program cannot list its formats" in " ".join(outcome.err.split())
        check("--cmd", command, "--format", "leveldb-log")
        formats = {
            each["vector"].partition("/")[0] for each in report()["implementations"][0]["results"]
        }
        assert formats == {"leveldb-log"}

    def test_only_formats_of_the_program_run(self, check, wrong, two_formats, monkeypatch):
        plans = []
        run_plan = check_module.run_report.run_plan

        def run(plan, *rest):
            plans.append(plan)
            return run_plan(plan, *rest)

        monkeypatch.setattr(check_module.run_report, "run_plan", run)
        assert check("--cmd", wrong("breakable_reader")).status == 0
        assert {each.body["format"] for each in plans[0].vectors} == {"leveldb-log"}

    def test_the_next_step_after_a_full_score_is_a_sweep(self, check, wrong, two_formats):
        command = wrong("breakable_reader")
        outcome = check("--cmd", command)
        assert outcome.status == 0 and outcome.out.splitlines()[-1] == (
            f"Next, damage that no vector has: walproof sweep --cmd {shlex.quote(command)}"
            " --format leveldb-log --cases 5000"
        )
        # The sweep is suggested only after a run of all vectors.
        assert "Next," not in check("--cmd", command, "--vector", "one-record").out
        assert "Next," not in check("--cmd", wrong("ignores_checksums"), *SMALL).out

    def test_a_program_that_skips_everything_fails(self, check, program):
        outcome = check("--cmd", shlex.join(program()), *SMALL)
        assert outcome.status == 3

    def test_odd_text_breaks_no_report(self, check, program, report):
        lines = r"""
        HELLO.update(name="\u202e\x1b[2J", version="\x00", language="</script>")
        HELLO["reports"] = ["records", "lost", "signals", "at"]
        def reply(request):
            sys.stderr.buffer.write(b"\x1b[2J\xff")
            answer = {"records": [{"payload": "1b5b324a", "at": 10**30, "\u202e": "\x9b"}],
                      "lost": [{"from": 9, "to": 3}], "signals": ["\ufffe\x1b[2J<b>]]>"]}
            return {"seq": request["seq"], "answer": answer}
        """
        outcome = check("--cmd", shlex.join(program(lines)), *SMALL)
        assert outcome.status == 3
        assert not re.search("[\x1b\x9b\u202e]", outcome.out)
        assert report()["implementations"][0]["language"] == "</script>"


class TestForCodeHosts:
    """Reports for code hosts, and known failures of any program."""

    def test_output_forms_replace_the_text(self, check, wrong, tmp_path):
        command = ("--cmd", wrong("ignores_checksums"), *SMALL)
        outcome = check(*command, "--output-format", "markdown")
        assert outcome.status == 3
        assert outcome.out == (tmp_path / "report" / "summary.md").read_text("utf-8")
        assert outcome.out.startswith("## Walproof: IgnoresChecksums: 0/1 pairs")

    def test_any_program_may_have_a_list_of_known_failures(self, check, wrong, report, tmp_path):
        listed = tmp_path / "known.json"
        command = ("--cmd", wrong("ignores_checksums"), *SMALL, "--known-failures", listed)
        assert ": no such file" in check(*command).err
        because = ("--cause", "blind", "--because", "It never looks.")
        updated = check(*command, "--update-known", *because)
        assert updated.status == 0 and "1 known failures, 0 without a cause" in updated.out
        assert check(*command).status == 0
        known = results(report())["payload-flipped-in-second-record"]
        assert (known["class"], known["cause"]) == ("known-failure", "It never looks.")
        right = ("--cmd", wrong("breakable_reader"), *SMALL, "--known-failures", listed)
        outcome = check(*right, "--output-format", "sarif")
        assert outcome.status == 3
        (result,) = json.loads(outcome.out)["runs"][0]["results"]
        assert result["ruleId"] == "unexpected-pass"


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--impl", "no-such"], "'no-such': expected one of executable-spec"),
            (["--cmd", ""], "--cmd: expected a program, found nothing"),
            (["--cmd", "./nothing"], "Error: --cmd './nothing': no such file: ./nothing\n"),
            (["--cmd", "no-such-program"], "no program 'no-such-program' on PATH"),
            (["--cmd", "./README.md"], "./README.md may not be executed"),
            (["--cmd", "my 'reader"], 'Error: --cmd "my \'reader": no closing quotation\n'),
            (["--cmd", "x", "--vector", "one-recrd"], "one-recrd: no vector has it; did you mean"),
            (["--impl", "go-leveldb", "--format", "leveldb"], "did you mean leveldb-log?"),
            (["--format", "leveldb-log", "--format", "leveldb"], "did you mean leveldb-log?"),
            (
                ["--group", "torn-tale"],
                "--group torn-tale: no vector has it; did you mean torn-tail",
            ),
            (["--requirement", "LDB-9*"], "--requirement LDB-9*: no vector has it"),
            (["--kind", "corrupt", "--vector", "one-record"], "the options exclude each other"),
            (["--cmd", "x", "--kind", "odd"], "Invalid value for '--kind'"),
            (["--out", "README.md"], "Directory 'README.md' is a file"),
            (["--no-such-option"], "No such option"),
        ],
    )
    def test_a_usage_error_exits_1(self, walproof, arguments, message):
        outcome = walproof("check", *arguments)
        assert outcome.status == 1
        assert message in outcome.err and outcome.out == ""

    def test_a_run_that_skips_every_case_exits_3(self, walproof, wrong, tmp_path):
        command, options = wrong("hides_damage"), ("--profile", "strict", "--out", tmp_path / "out")
        outcome = walproof("check", "--cmd", command, *options)
        assert outcome.status == 3
        why = "every case was skipped (not one of its profiles)"
        assert f"Nothing was checked: {why}." in " ".join(outcome.out.split())


def test_a_near_name_is_suggested_once():
    assert did_you_mean("one-recrd", ["one-record"] * 3) == "; did you mean one-record?"
