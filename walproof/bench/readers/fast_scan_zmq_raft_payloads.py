"""The bulk scanner of ``zmq-raft``, asked for no more than its peer hands out."""

from __future__ import annotations

from walproof.bench.scanners import payloads

CONTENDER = payloads("zmq-raft", "index")
