"""One bad grammar per rule; each finding gives advice."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from walproof.cli.parsers import lint_grammars
from walproof.parsers.lint import RULES, lint

META = "meta:\n  id: bad\n  license: CC0-1.0\n  endian: le\n"
BAD = {
    "file-name": ("meta:\n  id: other\n  license: CC0-1.0\n", "2:3", "id: bad"),
    "key-order": (
        META + "seq:\n  - id: a\n    doc: First.\n    type: u1\n", "7:5", "move `type` before",
    ),
    "layout": (META + "seq:\n  - id: a\n    type: u1 \n", "7:1", "remove trailing spaces"),
    "license": ("meta:\n  id: bad\n", "2:3", "license: CC0-1.0"),
    "name": (META + "seq:\n  - id: body_length\n    type: u1\n", "6:5", "`len_body`"),
    "private-meta": (
        "meta:\n  id: bad\n  license: CC0-1.0\n  ks-debug: true\n", "4:3", "remove `ks-debug`",
    ),
    "boxed-equality": (
        META + "instances:\n  a:\n    value: 1 + 1\n  b:\n    value: 2 + 2\n"
        "  same:\n    value: a == b\n",
        "11:5", "`a - b == 0`",
    ),
    "duplicate-key": (
        META + "seq:\n  - id: a\n    type: u1\n    type: u2\n", "8:5", "merge the two",
    ),
    "endless-repeat": (
        META + "seq:\n  - id: a\n    type: maybe\n    repeat: eos\n"
        "types:\n  maybe:\n    seq:\n      - id: b\n        type: u1\n        if: false\n",
        "8:5", "at least one byte",
    ),
    "index-in-until": (
        META + "seq:\n  - id: xs\n    type: u1\n    repeat: until\n    repeat-until: _index == 3\n",
        "9:5", "`xs.size`",
    ),
    "linked": (
        META + "types:\n  link:\n    seq:\n      - id: ofs_next\n        type: u4\n"
        "    instances:\n      next:\n        pos: ofs_next\n        type: link\n",
        "13:9", "list the objects in an array",
    ),
    "moving-position": (
        META + "instances:\n  rest:\n    value: _io.size - _io.pos\n", "7:5", "as a parameter",
    ),
    "number": (
        META + "instances:\n  big:\n    value: 0xdeadbeefcafebabe\n", "7:12", "quote it",
    ),
    "sizeof": (
        META + "instances:\n  size:\n    value: sizeof<t>\ntypes:\n  t:\n    seq:\n"
        "      - id: a\n        type: u1\n        if: false\n",
        "7:5", "write the number",
    ),
    "type-name": (
        META + "types:\n  object:\n    seq:\n      - id: a\n        type: u1\n",
        "7:5", "`object_type`",
    ),
    "unguarded": (
        META + "seq:\n  - id: kind\n    type: u1\n  - id: a\n    type: u1\n    if: kind == 1\n"
        "instances:\n  twice:\n    value: 2 * a\n",
        "13:5", "Give `twice` the same `if`",
    ),
    "wide-valid": (
        META + "seq:\n  - id: a\n    type: u8\n    valid: '0xdeadbeefcafebabe'\n",
        "8:5", "two u4",
    ),
    "yaml-word": (META + "seq:\n  - id: on\n    type: u1\n", "6:9", "another id"),
}  # fmt: skip


def test_every_rule_has_a_bad_grammar() -> None:
    assert sorted(BAD) == sorted(RULES)


@pytest.mark.parametrize("rule", BAD)
def test_rule_reports_its_bad_grammar(rule: str, tmp_path: Path) -> None:
    text, position, advice = BAD[rule]
    path = tmp_path / "bad.ksy"
    path.write_text(text)
    findings = [finding for finding in lint(path) if finding.rule == rule]
    assert len(findings) == 1, lint(path)
    assert f"{findings[0].line}:{findings[0].column}" == position
    assert advice in findings[0].message


def test_grammars_of_walproof_have_no_findings() -> None:
    done = CliRunner().invoke(lint_grammars, [], standalone_mode=False)
    assert (done.output, done.return_value) == ("", 0)


EXCUSED = (
    "seq:\n  # lint-ksy: name: the name of the source\n  # (a remark)\n"
    "  - id: body_length\n    type: u1\n"
)


@pytest.mark.parametrize(
    "text, expected",
    [
        (META + EXCUSED, []),
        ("# lint-ksy: name: so in the source\n" + META + EXCUSED.replace("# lint-ksy", "#"), []),
        (META + EXCUSED.replace(": the name of the source", ""), ["excuse: add a reason", "name"]),
        (
            META + EXCUSED.replace("name: the", "names: the"),
            ["excuse: unknown rule `names`", "name"],
        ),
        (
            META + EXCUSED.replace("body_length", "len_body"),
            ["excuse: no finding of `name` to excuse"],
        ),
    ],
)
def test_excuses_and_invalid_excuses(text: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text(text)
    messages = [f"{message.rule}: {message.message}" for message in lint(tmp_path / "bad.ksy")]
    assert [
        message[: len(start)] for message, start in zip(messages, expected, strict=True)
    ] == expected


@pytest.mark.parametrize(
    "text", ["", "meta: 3\n", "- 1\n", META + "seq:\n  a: u1\n", META + "types: 3\n"]
)
def test_file_without_a_grammar_is_rejected(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text(text)
    assert [finding.rule for finding in lint(tmp_path / "bad.ksy")] == ["yaml"]


def test_compile_error_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "bad.ksy"
    path.write_text(META + "seq:\n  - id: a\n    type: foo\n")
    done = CliRunner().invoke(lint_grammars, [str(path)], standalone_mode=False)
    assert done.return_value == 3
    assert done.output.startswith(f"{path}:7:5: error: unable to find type 'foo'")


def test_yaml_error_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "bad.ksy"
    path.write_text("meta:\n  id: [\n")
    done = CliRunner().invoke(lint_grammars, [str(path)], standalone_mode=False)
    assert done.return_value == 3
    assert f"{path}:3:1: yaml: " in done.output
