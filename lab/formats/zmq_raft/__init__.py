"""What the experiments need of spec/zmq-raft.md."""
