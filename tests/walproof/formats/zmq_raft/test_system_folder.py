"""The directory of a zmq-raft node: its log, snapshot and state."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.formats import named
from tests.real_files import ZMQ_RAFT
from tests.walproof.real_systems import examined
from walproof.systems import Finding, recognise

CASE = ZMQ_RAFT / "state-of-zeros"
#: A MessagePack map with the term and the vote of a node.
STATE = b"\x82\xabcurrentTerm\x05\xa8votedFor\xa2n1"
#: Two later updates; the term in the first update is a line feed.
LATER = b"\x81\xabcurrentTerm\x0a" + b"\x81\xa8votedFor\xa2n2"
OLDER = "raft.pers-2018-09-26-145936-8170"
LEAF = "log/00000/00/00"
FIRST = f"{LEAF}/00000000000001.rlog"

#: Damage to state files that the recovery test does not contain.
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "torn in the first update": lambda data: data[: len(STATE) // 2],
    "tail of zeros": lambda data: data[:-8] + bytes(8),
    "zeros after it": lambda data: data + bytes(40),
    "a bit of a key": lambda data: data.replace(b"currentTerm", b"currentTerl"),
    "a bit of a type": lambda data: bytes([data[0] ^ 0x80]) + data[1:],
    "a term that is text": lambda data: data + b"\x81\xabcurrentTerm\xa17",
    "a term that falls": lambda data: data + b"\x81\xabcurrentTerm\x02",
    "a negative term": lambda data: data + b"\x81\xabcurrentTerm\xe5",
    "a vote for a number": lambda data: data + b"\x81\xa8votedFor\x02",
}


def node(folder: Path, state: bytes = STATE + LATER) -> Path:
    shutil.copytree(VECTORS / "zmq-raft" / "files-of-others", folder)
    (folder / "raft.pers").write_bytes(state)
    for name in ("snap.tmp-71-1", f"{LEAF}/1.rlog", f"{LEAF}/00000000000ABC.rlog"):
        (folder / name).unlink()
    shutil.rmtree((folder / LEAF).parent / "0")
    return folder


def about(folder: Path, name: str | None) -> list[Finding]:
    return [finding for finding in examined(folder).findings if finding.file == name]


def test_an_intact_node_has_no_findings(tmp_path: Path, run) -> None:
    folder = node(tmp_path / "node", STATE)
    assert not examined(folder).findings
    assert 'state of the node: currentTerm "5", votedFor "n1"' in run(folder).output


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_state_is_a_loss(damage, tmp_path: Path) -> None:
    folder = node(tmp_path / "node")
    state = folder / "raft.pers"
    state.write_bytes(damage(state.read_bytes()))
    (finding,) = about(folder, "raft.pers")
    assert finding.harm == "lost"


def test_a_negative_index_is_a_loss(tmp_path: Path) -> None:
    folder = node(tmp_path / "node")
    (folder / "state.pers").write_bytes(b"\x81\xablastApplied\xe5")
    (finding,) = about(folder, "state.pers")
    assert finding.harm == "lost"


def test_state_files_may_be_empty_without_entries(tmp_path: Path) -> None:
    folder = tmp_path / "node"
    named("zmq-raft").write(folder, [], {})
    for name in ("state.pers", "raft.pers"):
        (folder / name).write_bytes(b"")
    assert not examined(folder).findings
    (folder / "state.pers").write_bytes(b"\x81\xablastApplied\x05" + bytes(8))
    assert "a later index may be lost" in about(folder, "state.pers")[0].text


@pytest.mark.parametrize("key", ["lastApplied", "peersIndex"])
def test_a_log_that_ends_before_its_state(key: str, tmp_path: Path, run) -> None:
    name = {"lastApplied": "state.pers", "peersIndex": "raft.pers"}[key]
    update = bytes([0x81, 0xA0 | len(key)]) + key.encode()
    folder = node(tmp_path / "node")
    path = folder / name
    before = path.read_bytes() if path.is_file() else b""
    path.write_bytes(before + update + b"\x07")
    assert not about(folder, name)
    path.write_bytes(before + update + b"\x63")
    (finding,) = about(folder, name)
    assert finding.text.startswith(f"{key} is 99, the log and its snapshot end at")
    assert run(folder).return_value == 3


@pytest.mark.parametrize("name", [OLDER, "raft.pers.tmp-71-1", "snap.tmp-71-1"])
def test_damage_of_a_file_that_no_node_reads(name: str, tmp_path: Path) -> None:
    folder = node(tmp_path / "node")
    (folder / name).write_bytes(bytes(64))
    assert not examined(folder).findings


def test_the_newest_intact_state_is_reported(tmp_path: Path) -> None:
    folder = node(tmp_path / "node", bytes(64))
    (folder / OLDER).write_bytes(b"\x81\xabcurrentTerm\x03")
    (folder / "raft.pers-2019-01-01-000000-0000").write_bytes(STATE)
    (folder / "raft.pers-2020-01-01-000000-0000").write_bytes(bytes(64))
    (finding,) = about(folder, "raft.pers-2019-01-01-000000-0000")
    assert finding.text.endswith('before raft.pers: currentTerm "5", votedFor "n1"')
    assert not about(folder, OLDER)


def test_a_state_older_than_the_log(tmp_path: Path) -> None:
    folder = node(tmp_path / "node", b"\x81\xabcurrentTerm\x00")
    (finding,) = about(folder, "raft.pers")
    expected = "expected currentTerm 1 or above, as in the log; "
    assert finding.text == f"{expected}currentTerm is 0: the vote is lost"
    (folder / "raft.pers").write_bytes(b"")
    (finding,) = about(folder, "raft.pers")
    assert finding.text == f"{expected}found an empty file: the vote is lost"


def test_a_missing_state(tmp_path: Path, run) -> None:
    folder = node(tmp_path / "node")
    (folder / "raft.pers").unlink()
    for words in ([folder], ["verify", folder], ["read", folder], ["read", folder, "--jsonl"]):
        done = run(*words)
        assert (done.return_value, "the vote is lost" in done.output) == (3, True), words
    compared = run("diff", node(tmp_path / "other"), folder).stdout
    assert "1 finding of loss" in compared and "the comparison is incomplete" in compared
    assert [each.harm for each in examined(folder).findings] == ["lost"]
    (folder / OLDER).write_bytes(STATE)
    assert [each.harm for each in about(folder, None)] == ["lost"]


def test_index_files_that_no_node_reads(tmp_path: Path) -> None:
    folder = node(tmp_path / "node")
    separate = "log/00000/00/0/00000000000001.rlog"
    names = (f"{LEAF}/1.rlog", f"{LEAF}/00000000000ABC.rlog", separate)
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(folder / FIRST, folder / name)
    expected = "expected a name of 14 lower-case hexadecimal digits in the folder of these digits"
    assert {each.file: each.text for each in examined(folder).findings} == {
        name: f"{expected}: no node reads this file" for name in names
    }


def test_state_files_next_to_a_log_directory_are_enough(tmp_path: Path) -> None:
    folder = tmp_path / "node"
    (folder / "log").mkdir(parents=True)
    assert recognise(folder) is None
    (folder / "raft.pers").write_bytes(bytes(64))
    assert [each.harm for each in examined(folder).findings] == ["lost"]
    (folder / "raft.pers").write_bytes(STATE)
    (finding,) = examined(folder).findings
    assert finding.text == "expected index files in log, found none: the log is lost"


def test_the_reported_node(run) -> None:
    assert run(CASE).return_value == 3
    (finding,) = about(CASE, "raft.pers")
    text = "expected a MessagePack state record at 0, found 64 zeros, so the node may not start:"
    assert (finding.text, finding.harm) == (f"{text} its vote is lost", "lost")
    assert {each.file: each.harm for each in examined(CASE).findings if each != finding} == {
        "log/00000/00/0/00000000000009.rlog": "look",
        "log/00000/00/00/00000000000ABC.rlog": "look",
        "log/00000/00/00/1.rlog": "look",
    }
