"""The executable specification of zmq-raft's files, described by spec/zmq-raft.md.

Upstream authority: the npm package ``zmq-raft`` 0.5.0. Release 0.7.1 uses the same formats.
"""

from reference_impl.zmq_raft.reader import kind_of, read, recognise
from reference_impl.zmq_raft.writer import append, copied, write

__all__ = ["append", "copied", "kind_of", "read", "recognise", "write"]
