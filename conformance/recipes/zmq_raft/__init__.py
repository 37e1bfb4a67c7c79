"""Recipes for the zmq-raft vectors, one module for each type of log or fault."""
