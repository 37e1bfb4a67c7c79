"""Recipes of zmq-raft's logs, a file for each kind of log and kind of fault."""

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

NewLog = ZmqRaftLog
"""The function that begins a log of this format."""

SUFFIX = ""
"""The default ending of its name."""

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
