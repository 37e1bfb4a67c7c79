"""Recipes for the vectors of zmq-raft, one module for each type of log or fault."""
