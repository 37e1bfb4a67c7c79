"""``lab crossing`` prints a table of pairs; its status shows differences not in the list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.vectors import Vector
from lab.__main__ import lab
from lab.crossing import known
from lab.crossing.logs import wanted
from walproof.cli.command_group import run

PAIR = ["crossing", "--format", "zmq-raft", "--writer", "executable-spec"]


def run_lab(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["lab", *words])
    with pytest.raises(SystemExit) as ended:
        run(lab)
    return int(ended.value.code or 0)


def test_agreement_exits_with_0(monkeypatch, capsys, vectors: Mapping[str, Vector]) -> None:
    count = len(wanted(vectors.values(), "zmq-raft"))
    assert run_lab(monkeypatch, *PAIR, "--reader", "executable-spec") == 0
    message = capsys.readouterr().out
    assert f"executable-spec: {count}/{count} of executable-spec" in message


def test_a_listed_difference_that_does_not_occur_exits_with_3(
    monkeypatch, capsys, tmp_path: Path, vectors: Mapping[str, Vector]
) -> None:
    first = wanted(vectors.values(), "zmq-raft")[0]
    entry = {
        "vector": first.id, "profile": "executable-spec > executable-spec",
        "result": "fail", "difference": "records: other", "cause": "why",
    }  # fmt: skip
    body = {"causes": {"why": "Because."}, "failures": [entry]}
    (tmp_path / "zmq-raft.json").write_text(json.dumps(body))
    load = known.load
    monkeypatch.setattr(known, "load", lambda format: load(format, tmp_path))
    assert run_lab(monkeypatch, *PAIR, "--reader", "executable-spec") == 3
    assert "is listed, but agrees" in capsys.readouterr().out


def test_an_unlisted_difference_exits_with_3(
    monkeypatch, capsys, vectors: Mapping[str, Vector]
) -> None:
    others = len(wanted(vectors.values(), "zmq-raft")) - 1
    monkeypatch.setattr("lab.crossing.run._difference", lambda each, hello, reply: "records: other")
    assert run_lab(monkeypatch, *PAIR, "--reader", "executable-spec") == 3
    message = " ".join(capsys.readouterr().out.split())
    assert "✗ executable-spec → executable-spec: zmq-raft/" in message
    assert f"records: other (and {others} more)" in message


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [("--reader", "nobody", "nobody"), ("--cause", "why", "--update-known")],
)
def test_a_wrong_option_is_a_usage_error(
    monkeypatch, capsys, option: str, value: str, expected: str
) -> None:
    assert run_lab(monkeypatch, *PAIR, option, value) == 1
    assert expected in capsys.readouterr().err
