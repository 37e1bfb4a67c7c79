"""``python -m lab bench``: compare the speed of readers with named peers.

Absolute numbers depend on the machine. The ratio to the peer can be compared between machines,
because both are measured in the same run. Each round runs all contenders in turn, and a ratio is
computed within each round. The report shows the median over the rounds.

To add a format, add a module ``bench`` for it (:mod:`lab.formats`), which lists the logs to read
and the implementations to measure.
"""
