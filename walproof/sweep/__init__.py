"""``walproof sweep``: damage logs systematically and compare every answer.

A case is a control and the number of a damage (``enumeration``). The damaged log is generated where
it is read. ``plan`` divides the cases into shards, ``shard_runner`` runs a shard, and
``sweep_folder`` runs all shards on a worker pool. The harness of ``conformance`` runs the programs
under test and judges their answers. ``effects`` classifies wrong answers, ``findings`` groups them,
``minimise`` reduces them, ``proposals`` turns them into vectors, and ``report`` describes them.
``flips`` is the family of ``--flips``: single-bit flips that no check detects.
"""
