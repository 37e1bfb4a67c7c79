"""The bulk scanner of spec/zmq-raft.md."""
