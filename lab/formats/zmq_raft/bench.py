"""zmq-raft index files. The peer returns payloads and indices without checking them."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size

BENCH = FormatBench(
    logs=(Size("100 B entries, zmq-raft", 200_000, 100),),
    programs=(MeasuredProgram("zmq-raft", 60),),
    context={"kind": "index", "capacity": 1 << 18},
)
