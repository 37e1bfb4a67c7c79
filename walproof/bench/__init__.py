"""``walproof bench``: how fast readers read and how fast the harness asks, beside a named peer.

Absolute numbers belong to one machine and one hour. What travels is the ratio to the peer, measured
in the same run: rounds go through all contenders in turn, a ratio is taken within each round, and
the median over the rounds is shown.

To add a reader, put one file with a ``CONTENDER`` into ``readers/``; to add a format, a list of
workloads into :data:`walproof.bench.workloads.WORKLOADS`.
"""
