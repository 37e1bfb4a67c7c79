"""walproof read, verify, export, fields and import."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.recipes.systemd_journal.log import KEY, SEALED_START, START
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes
from walproof.cli import walproof


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(
        walproof, [str(a) for a in arguments], input=stdin, standalone_mode=False
    )


def test_verify_finds_nothing_in_a_sound_file(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(5)))
    done = run("verify", path)
    assert (done.return_value, "no findings" in done.output) == (0, True)


def test_verify_prints_range_fault_and_rule(tmp_path: Path) -> None:
    data = bytearray(journal_bytes(*hello(5)))
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
    data = bytearray(journal_bytes(*hello(5), first=SEALED_START, step=6_000_000, **options))
    tag = data.rindex(b"\x07" + bytes(7) + b"\x40" + bytes(7))
    data[tag + 40] ^= 1
    path = tmp_path / "a.journal"
    path.write_bytes(bytes(data))
    assert run("verify", path).return_value == 0
    done = run("verify", path, "--key", KEY)
    assert (done.return_value, "SDJ-075" in done.output) == (3, True)


def test_verify_refuses_other_files(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"text\n" * 100)
    assert run("verify", path).return_value == 4


def test_an_export_can_be_imported(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.journal", tmp_path / "b.journal"
    path.write_bytes(journal_bytes(*hello(5), [b"BLOB=\x00\xff\n", b"MESSAGE=one\ntwo"]))
    exported = run("export", path)
    assert exported.return_value == 0
    assert run("systemd", "import", "--out", copy, stdin=exported.stdout_bytes).return_value == 0
    again = answer(copy.read_bytes())
    assert again.verdict == "intact"
    assert [r.payload for r in again.records] == [
        r.payload for r in answer(path.read_bytes()).records
    ]


def test_export_of_a_damaged_file_gives_the_survivors(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(8))[:-200])
    done = run("export", path)
    assert done.return_value == 3
    assert 0 < done.stdout.count("__CURSOR=") < 8


journalctl = pytest.mark.skipif(not shutil.which("journalctl"), reason="journalctl not found")

MATCHES = [
    ["PRIORITY=1"],
    ["PRIORITY=1", "PRIORITY=2"],
    ["PRIORITY=1", "MESSAGE=hello 4"],
    ["PRIORITY=1", "MESSAGE=hello 4", "MESSAGE=hello 5", "PRIORITY=0"],
    ["PRIORITY=2", "MESSAGE=hello 4"],
    ["NOTHING=1"],
]


def shown(*command: str) -> list[str]:
    done = subprocess.run(["journalctl", *command], capture_output=True, text=True)
    return done.stdout.splitlines()


def messages(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("MESSAGE=")]


@journalctl
@pytest.mark.parametrize("matches", MATCHES, ids=" ".join)
def test_matches_agree_with_journalctl(tmp_path: Path, matches: list[str]) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(12)))
    theirs = shown(f"--file={path}", "-o", "export", *matches)
    assert messages(run("export", path, *matches).stdout.splitlines()) == messages(theirs)


@pytest.mark.parametrize("matches", MATCHES, ids=" ".join)
def test_matches_in_a_damaged_file(tmp_path: Path, matches: list[str]) -> None:
    whole, broken = tmp_path / "a.journal", tmp_path / "b.journal"
    data = journal_bytes(*hello(12))
    whole.write_bytes(data)
    broken.write_bytes(data[:344] + bytes(144) + data[488:])  # no DATA table any more
    done = run("export", broken, *matches)
    assert done.return_value == 3
    assert messages(done.stdout.splitlines()) == messages(
        run("export", whole, *matches).stdout.splitlines()
    )


@journalctl
@pytest.mark.parametrize(
    "since", ["@1700000005", "2023-11-14 22:13:25", "2023-11-14T22:13:25+00:00", "2023-11-15"]
)
def test_since_agrees_with_journalctl(tmp_path: Path, since: str) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(12)))
    ours = messages(run("export", path, "--since", since).stdout.splitlines())
    number = {"2023-11-15": 12}.get(since, 5)
    assert ours == [f"MESSAGE=hello {n}" for n in range(number, 12)]
    if since.startswith("@"):
        assert ours == messages(shown(f"--file={path}", "-o", "export", f"--since={since}"))


def test_since_with_a_fraction_and_from_a_sequence_number(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(6), step=1))
    since = f"@{START / 1_000_000:.6f}"[:-1] + "4"
    assert messages(run("export", path, "--since", since).stdout.splitlines()) == [
        "MESSAGE=hello 4",
        "MESSAGE=hello 5",
    ]
    done = run("export", path, "--from-seqnum", "6")
    assert messages(done.stdout.splitlines()) == ["MESSAGE=hello 5"]


@pytest.mark.parametrize("arguments", [["lower=1"], ["NAME"], ["--since", "soon"]])
def test_invalid_matches_and_times_are_errors(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(2)))
    assert "expected FIELD=VALUE" in str(run("export", path, *arguments).exception) or (
        "expected a time" in str(run("export", path, *arguments).exception)
    )


@journalctl
@pytest.mark.parametrize("name", ["PRIORITY", "MESSAGE", "_BOOT_ID", "NOTHING"])
def test_fields_agree_with_journalctl(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(12)))
    done = run("systemd", "fields", path, name)
    assert done.return_value == 0
    assert done.stdout.splitlines() == shown(f"--file={path}", f"--field={name}")
    assert run("systemd", "fields", path).stdout.splitlines() == sorted(
        shown(f"--file={path}", "--fields")
    )


def test_binary_values_and_surviving_values(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    data = bytearray(journal_bytes([b"BLOB=\x00\xff"], [b"BLOB=text"], [b"BLOB=two\nlines"]))
    path.write_bytes(bytes(data))
    assert run("systemd", "fields", path, "BLOB").stdout.splitlines() == [
        '{"hex": "74776f0a6c696e6573"}',
        "text",
        '{"hex": "00ff"}',
    ]
    assert run("systemd", "fields", path, "BLOB", "--json").stdout.splitlines() == [
        '"two\\nlines"',
        '"text"',
        '{"hex": "00ff"}',
    ]
    data[data.index(b"=text") + 1] ^= 1
    path.write_bytes(bytes(data))
    done = run("systemd", "fields", path, "BLOB")
    assert (done.return_value, len(done.stdout.splitlines())) == (3, 2)
    assert "damaged (hash-mismatch); walproof verify lists" in done.stderr


@pytest.mark.parametrize("command", ["systemd fields", "verify", "export"])
def test_files_that_end_in_the_header(tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.journal"
    data = journal_bytes(*hello(2))
    for size in (0, 4, 207, 208, 250):
        path.write_bytes(data[:size])
        assert run(*command.split(), path).return_value in (3, 4), size


def test_read_shows_entries_with_their_message_first(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(
        journal_bytes([b"A=1", b"MESSAGE=two\nlines", b"BLOB=\x1b[2J\xff"], [b"A=\x1b[2J"])
    )
    lines = run("read", path).stdout.splitlines()
    assert lines[0].split() == [
        *("record", "at", "size", "seqnum", "realtime", "monotonic", "boot_id", "payload")
    ]
    assert lines[1].endswith('01234567…  MESSAGE=two\\nlines  A=1  BLOB={"hex": "1b5b324aff"}')
    assert lines[2].endswith("01234567…  A=\\x1b[2J")
