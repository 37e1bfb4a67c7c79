"""The bulk scanner of spec/zmq-raft.md."""

ENTERED_EVERY = None
