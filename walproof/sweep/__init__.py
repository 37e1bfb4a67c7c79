"""``walproof sweep``: the damage algebra, exhaustively, against any number of implementations.

A case is a control and the number of a damage (``enumeration``): both are small, and the damaged
log is made where it is read. ``plan`` cuts the cases into shards, ``shard_runner`` runs one of
them, ``sweep_folder`` all of them, one process for each core. The harness of ``conformance`` runs
the programs under test and judges what they answer; ``effects`` says what a wrong answer does.
``findings`` groups wrong answers, ``minimise`` makes them small, ``proposals`` makes vectors of
them, and ``report`` sentences. ``flips`` searches for flips of single bits that no check detects.
"""
