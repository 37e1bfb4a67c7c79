"""``python -m lab bench``: compare the speed of readers with named peers.

Each round runs all contenders in turn. The report shows the median ratio over all rounds.
"""
