"""``python -m lab bench``: the speed of readers and of the harness, beside a named peer.

Absolute numbers belong to one machine and one hour. What travels is the ratio to the peer, measured
in the same run: each round goes through all contenders in turn, a ratio is taken within each round,
and the median over the rounds is shown.

To add a format, add its part ``bench`` (:mod:`lab.formats`): it says which logs are read. To add a
reader, put a ``bench.toml`` beside its adapter, see :mod:`lab.bench.contenders`.
"""
