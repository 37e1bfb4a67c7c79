"""zmq-raft's files: the parts that ``walproof.formats`` describes."""
