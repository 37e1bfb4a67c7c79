"""Experiments on spec/zmq-raft.md."""
