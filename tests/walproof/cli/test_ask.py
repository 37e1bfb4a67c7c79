"""``walproof ask`` prints each request and reply unchanged, followed by the result."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.vectors import load_all
from walproof.cli.ask import ask

WRONG = Path(__file__).parents[2] / "wrong"
CUT = "leveldb-log/cut-in-a-payload"
FLIPPED = "leveldb-log/payload-flipped-in-only-record"


def run(program: str, *arguments: str) -> Result:
    command = f"{sys.executable} {WRONG / program}.py"
    return CliRunner().invoke(ask, ["--cmd", command, *arguments], standalone_mode=False)


def messages(output: str, mark: str) -> list[dict[str, object]]:
    return [json.loads(line[2:]) for line in output.splitlines() if line.startswith(mark)]


def test_a_correct_reply_follows_its_request() -> None:
    done = CliRunner().invoke(
        ask, ["--impl", "executable-spec", "--vector", CUT], standalone_mode=False
    )
    assert done.return_value == 0
    (request,), (reply,) = messages(done.output, "→"), messages(done.output, "←")
    assert (request["cmd"], request["seq"], request["profile"]) == ("read", 1, "recover")
    assert reply["answer"]["verdict"] == "torn"  # type: ignore[index]
    assert done.output.splitlines()[-1] == "right"
    assert f"log      {load_all()[CUT].input}" in done.output


def test_a_wrong_reply_is_followed_by_the_expected_one() -> None:
    done = run("hides_damage", "--vector", FLIPPED)
    assert done.return_value == 3
    assert "wrong    signals: expected one for a damaged log, found none" in done.output
    assert json.loads(done.output.splitlines()[-1].removeprefix("expected"))["verdict"] == "damaged"


def test_a_missing_reply_is_reported_and_ends_the_exchange() -> None:
    done = run("crashes_on_damage", "--vector", FLIPPED)
    assert done.return_value == 3
    assert "← no reply: killed by" in done.output or "← no reply: exit status" in done.output


def test_every_request_of_a_table_is_sent() -> None:
    name = next(id for id, each in load_all().items() if each.operation == "truncations")
    done = CliRunner().invoke(
        ask, ["--impl", "executable-spec", "--vector", name], standalone_mode=False
    )
    assert done.return_value == 0
    assert len(messages(done.output, "→")) == len(messages(done.output, "←")) > 10


def test_keep_leaves_the_scratch_copy(tmp_path: Path) -> None:
    stored = tmp_path / "kept"
    done = run("changes_the_log", "--vector", CUT, "--keep", str(stored))
    assert done.return_value == 3
    copy = stored / load_all()[CUT].neutral_name
    assert f"copy     {copy}" in done.output
    assert copy.read_bytes() != load_all()[CUT].input.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--vector", CUT], "expected --cmd COMMAND or --impl NAME"),
        (["--cmd", "'reader", "--vector", CUT], "no closing quotation"),
        (["--cmd", "true", "--vector", "nothing"], "no vector has this id"),
        (
            ["--cmd", "true", "--vector", "leveldb-log/one-recrd"],
            "no vector has this id; did you mean leveldb-log/one-record",
        ),
        (
            ["--cmd", "true", "--vector", CUT, "--profile", "write"],
            "expected recover or strict for",
        ),
        (["--cmd", "/no/such/reader", "--vector", CUT], "no such file: /no/such/reader"),
        (["--impl", "nothing", "--vector", CUT], "unknown implementation 'nothing': expected one"),
        (["--impl", "executable-spek", "--vector", CUT], "did you mean executable-spec?"),
    ],
)
def test_invalid_arguments_are_one_line_errors(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(ask, arguments)
    assert done.exit_code != 0
    assert said in done.output
