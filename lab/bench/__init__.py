"""``python -m lab bench``: the speed of readers and of the harness, beside a named peer.

Absolute numbers hold for one machine at one time. The ratio to the peer can be compared between
machines: both are measured in the same run. Each round runs all contenders in turn, and a ratio is
computed within each round. The report shows the median over the rounds.

To add a format, add its part ``bench`` (:mod:`lab.formats`), which names the logs. To add a reader,
put a ``bench.toml`` beside its adapter, see :mod:`lab.bench.contenders`.
"""
