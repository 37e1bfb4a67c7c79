"""The bulk scanner on ``zmq-raft`` where it is asked for no more than its peer hands out."""

from __future__ import annotations

from conformance.bench import bulk

read_once = bulk.reader("zmq-raft", frozenset({"index"}))

CONTENDER = bulk.contender(
    "zmq-raft", __name__, "fast-scan-payloads", "payloads and indexes, terms compared"
)
