"""The format plug-in for zmq-raft files. See ``walproof.formats`` for its parts."""
