"""The bulk scanner on ``zmq-raft``."""

from __future__ import annotations

from conformance.bench import bulk

read_once = bulk.reader("zmq-raft")

CONTENDER = bulk.contender("zmq-raft", __name__)
