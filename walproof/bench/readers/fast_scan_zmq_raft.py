"""The bulk scanner of ``zmq-raft``."""

from __future__ import annotations

from walproof.bench.scanners import scanner

CONTENDER = scanner("zmq-raft")
