"""``walproof sweep``: the damage algebra, exhaustively, against any number of implementations.

A case is a control and the number of a damage (``recipes``): both are small, and the damaged log
is made where it is read. ``plan`` cuts the cases into shards, ``shard_runner`` runs one of them,
``shard_pool`` all of them, one process for each core. ``programs`` starts the programs under test
and sends them cases, ``judge`` compares answers. Findings are made small by ``minimise``, become
vectors in ``proposals`` and sentences in ``summary``. ``flips`` searches for flips of single bits
that no check detects.
"""
