"""walproof verify, export and import."""

import json
from pathlib import Path

from click.testing import CliRunner, Result
from journal_files import KEY, SEALED_START, answer, hello, made

from conformance.cli import walproof


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(
        walproof, [str(a) for a in arguments], input=stdin, standalone_mode=False
    )


def test_verify_finds_nothing_in_a_sound_file(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(made(*hello(5)))
    done = run("verify", path)
    assert (done.return_value, "no findings" in done.output) == (0, True)


def test_verify_says_where_what_and_which_rule(tmp_path: Path) -> None:
    data = bytearray(made(*hello(5)))
    data[data.index(b"hello 3")] ^= 1
    path = tmp_path / "a.journal"
    path.write_bytes(bytes(data))
    done = run("verify", path, "--json")
    assert done.return_value == 3
    finding = json.loads(done.output)
    assert (finding["rule"], finding["object"]) == ("SDJ-044", "DATA")
    assert finding["from"] <= data.index(b"iello 3" if b"iello 3" in data else b"ello 3")


def test_verify_checks_seals_with_the_key_only(tmp_path: Path) -> None:
    options = {"key": KEY, "continuous": False}
    data = bytearray(made(*hello(5), first=SEALED_START, step=6_000_000, **options))
    tag = data.rindex(b"\x07" + bytes(7) + b"\x40" + bytes(7))
    data[tag + 40] ^= 1
    path = tmp_path / "a.journal"
    path.write_bytes(bytes(data))
    assert run("verify", path).return_value == 0
    done = run("verify", path, "--key", KEY)
    assert (done.return_value, "SDJ-075" in done.output) == (3, True)


def test_verify_refuses_what_is_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"text\n" * 100)
    assert run("verify", path).return_value == 4


def test_what_is_exported_can_be_imported(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.journal", tmp_path / "b.journal"
    path.write_bytes(made(*hello(5), [b"BLOB=\x00\xff\n", b"MESSAGE=one\ntwo"]))
    exported = run("export", path)
    assert exported.return_value == 0
    assert run("import", "--output", copy, stdin=exported.stdout_bytes).return_value == 0
    again = answer(copy.read_bytes())
    assert again.verdict == "intact"
    assert [r.payload for r in again.records] == [
        r.payload for r in answer(path.read_bytes()).records
    ]


def test_export_of_a_damaged_file_gives_the_survivors(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(made(*hello(8))[:-200])
    done = run("export", path)
    assert done.return_value == 3
    assert 0 < done.stdout.count("__CURSOR=") < 8
