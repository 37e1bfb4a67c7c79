"""``python -m lab bench``: compare the speed of readers with named peers.

Each round runs all contenders in turn, and a ratio is computed within each round. The report shows
the median over the rounds. Ratios can be compared between machines.

To add a format, add its module ``bench`` in :mod:`lab.formats`.
"""
