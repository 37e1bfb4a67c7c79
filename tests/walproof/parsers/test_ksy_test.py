"""``walproof parsers test``: run vectors against a grammar."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from toys import LOG, write_toys

from conformance.sandbox import bubblewrap
from walproof.cli.parsers import test_grammar as run_test
from walproof.parsers.ksy_test import GrammarUnderTest


def run(folder: Path, *bodies: dict[str, Any], quiet: bool = False) -> Result:
    write_toys(folder)
    vectors = folder / "vectors"
    vectors.mkdir()
    for number, body in enumerate(bodies):
        (vectors / f"{number}.json").write_text(json.dumps(body))
    (vectors / "log.toy").write_bytes(LOG)
    arguments = [str(folder / "toy_log.ksy"), str(vectors), *(["--quiet"] if quiet else [])]
    return CliRunner().invoke(run_test, arguments, standalone_mode=False)


def test_matching_vectors_pass(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        {
            "title": "everything",
            "input": "log.toy",
            "expect": {
                "header.magic": "TOY",
                "entries": {"count": 3},
                "entries[0].kind": "number",
                "entries[0].body.value": "16045690984503098046",
                "entries[0].is_number": True,
                "entries[1].body.text": "éz",
                "entries[1].note": None,
                "entries[-1].kind": 9,
                "entries[-1].body": {"hex": "BEEF"},
                "rest": {"hex": "ff"},
            },
        },
        {"hex": "544f58", "error": "ValidationNotEqualError", "at": "/types/header/seq/0"},
        {"hex": "544f5901", "error": "EndOfStreamError"},
    )
    assert done.output.splitlines()[-1] == "3 passed, 0 failed", done.output
    assert done.return_value == 0


def test_failures_show_the_actual_value(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        {
            "input": "log.toy",
            "expect": {
                "entries[0].kind": "name",
                "entries[3].kind": 1,
                "entries[0].sort": 1,
                "rest": {"hex": "00"},
                "entries[1].note": 4,
            },
        },
        {"input": "log.toy", "error": "EndOfStreamError"},
        {"hex": "54", "expect": {}},
        quiet=True,
    )
    assert done.return_value == 3
    for line in (
        'entries[0].kind: expected "name", found "number" (1)',
        "entries[3].kind: expected 1, found nothing: `entries` has 3 elements",
        "entries[0].sort: expected 1, found no field `sort` in ToyLog.Entry: it has kind,",
        'rest: expected {"hex": "00"}, found {"hex": "ff"}',
        "entries[1].note: expected 4, found null: the field is absent",
        "expected EndOfStreamError, found no error",
        "unexpected error: EndOfStreamError",
        "0 passed, 3 failed",
    ):
        assert line in done.output


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"input": "log.toy"}, "either `expect` or `error`"),
        ({"expect": {}}, "either `input` or `hex`"),
        ({"hex": "0", "expect": {}}, "`hex` is not hexadecimal"),
        ({"input": "gone", "expect": {}}, "gone: No such file"),
        ({"hex": "", "expect": {}, "titel": ""}, "unknown key `titel`, expected title,"),
    ],
)
def test_invalid_vectors_are_rejected(body: dict[str, Any], why: str, tmp_path: Path) -> None:
    assert why in str(run(tmp_path, body).exception)


def test_file_name_must_equal_the_id(tmp_path: Path) -> None:
    write_toys(tmp_path)
    (tmp_path / "toy_log.ksy").rename(tmp_path / "other-log.ksy")
    (tmp_path / "v.json").write_text('{"hex": "", "expect": {}}')
    done = CliRunner().invoke(run_test, [str(tmp_path / "other-log.ksy"), str(tmp_path / "v.json")])
    assert "meta/id is `toy_log`, so the file must be named toy_log.ksy" in done.output


def test_compile_error_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text("meta:\n  id: bad\nseq:\n  - id: a\n    type: gone\n")
    (tmp_path / "v.json").write_text('{"hex": "", "expect": {}}')
    done = CliRunner().invoke(
        run_test, [str(tmp_path / "bad.ksy"), str(tmp_path / "v.json")], standalone_mode=False
    )
    assert f"{tmp_path / 'bad.ksy'}:5:5: error: unable to find type 'gone'" in str(done.exception)


EVIL = '''meta:
  id: evil
  endian: le
doc: |
  x """
  import os
  def attempt(what):
      try:
          what()
      except OSError:
          pass
  attempt(lambda: open("{proof}", "w").write("was here"))
  open("said", "w").write(os.environ.get("WALPROOF_SECRET", "nothing"))
  r = """
seq:
  - id: a
    type: u1
instances:
  told:
    value: 1
'''


def test_code_of_a_grammar_is_sandboxed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if bubblewrap() is None:
        pytest.skip("needs bubblewrap: without it, the code can write anywhere")
    monkeypatch.setenv("WALPROOF_SECRET", "token")
    proof = tmp_path / "proof"
    grammar = tmp_path / "evil.ksy"
    grammar.write_text(EVIL.format(proof=proof))
    (tmp_path / "v.json").write_text('{"hex": "01", "expect": {"a": 1}}')
    tester = GrammarUnderTest(grammar)
    try:
        assert not tester.run(tmp_path / "v.json").failures
        assert (tester.sandbox.work / "said").read_text() == "nothing", "its code did run"
        assert not proof.exists()
    finally:
        tester.close()


def test_endless_parser_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walproof.parsers.sandboxed_grammar.SECONDS", 3)
    grammar = tmp_path / "evil.ksy"
    grammar.write_text(EVIL.split("  attempt(lambda")[0] + "  while True: pass\n  r = \"\"\"\n"
                       "seq:\n  - id: a\n    type: u1\n")  # fmt: skip
    (tmp_path / "v.json").write_text('{"hex": "01", "expect": {"a": 1}}')
    tester = GrammarUnderTest(grammar)
    try:
        (failure,) = tester.run(tmp_path / "v.json").failures
        assert failure == "parser process: no answer within 3 s"
    finally:
        tester.close()
