"""A zmq-raft node's folder: its log and snapshot, and the state beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

from conformance import VECTORS
from walproof.systems import recognise

STATE = b"\x82\xabcurrentTerm\x05\xa8votedFor\xa2n1"
"""A map of MessagePack: the term and the vote of a node."""


def node(folder: Path) -> Path:
    shutil.copytree(VECTORS / "zmq-raft" / "files-of-others", folder)
    (folder / "raft.pers").write_bytes(STATE)
    return folder


def test_a_node_is_listed_with_its_state(tmp_path: Path, run) -> None:
    done = run(node(tmp_path / "node"))
    assert done.return_value == 0, done.output
    assert "zmq-raft node: a snapshot and" in done.output
    assert "raft.pers" in done.output
    assert 'state of the node: currentTerm "5", votedFor "n1"' in done.output


def test_a_torn_state_is_a_finding(tmp_path: Path) -> None:
    folder = node(tmp_path / "node")
    state = folder / "raft.pers"
    state.write_bytes(state.read_bytes()[:-1])
    system = recognise(folder)
    assert system is not None
    (finding,) = system.findings
    assert finding.file == "raft.pers"
    assert "there may have been a later vote" in finding.text
