"""Recipes for the vectors of zmq-raft, one module for each type of log or fault."""

from conformance.recipes.zmq_raft import (
    appending,
    bad_updates,
    chunks,
    covered,
    directories,
    empty_files,
    entries,
    going_on,
    headers,
    index_files,
    large_states,
    lost_files,
    names,
    numbers_to_write,
    offsets,
    opening,
    places,
    refusing,
    rolling_back,
    rolling_back_directories,
    snapshots,
    states,
    values,
    writing,
)
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog

#: The class that builds a log of this format.
NewLog = ZmqRaftLog

#: The default extension of a log's name.
SUFFIX = ""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "appending",
    "bad_updates",
    "chunks",
    "covered",
    "directories",
    "empty_files",
    "entries",
    "going_on",
    "headers",
    "index_files",
    "large_states",
    "lost_files",
    "names",
    "numbers_to_write",
    "offsets",
    "opening",
    "places",
    "refusing",
    "rolling_back",
    "rolling_back_directories",
    "snapshots",
    "states",
    "values",
    "writing",
]
