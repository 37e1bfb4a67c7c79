"""The peer: ``IndexFile.readv`` of the npm package ``zmq-raft``, which looks into no entry."""

from __future__ import annotations

from walproof.bench.real import real

# Many passes: the median is that of code that has been compiled.
CONTENDER = real("zmq-raft", repeat=15)
