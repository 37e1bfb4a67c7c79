"""Index files of zmq-raft; the peer hands out payloads and their indices, and looks no deeper."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, Size

BENCH = FormatBench(
    logs=(Size("100 B entries, zmq-raft", 200_000, 100),),
    context={"kind": "index", "capacity": 1 << 18},
    payloads_and="index",
)
