"""``walproof sweep``: damage logs systematically and compare every answer.

A case consists of a control and the number of a change (``enumeration``). ``plan`` divides the
cases into shards, and ``shard_runner`` runs a shard. ``sweep_folder`` runs all shards on a worker
pool. The harness of ``conformance`` runs the programs under test and judges their answers.
``effects`` classifies wrong answers, ``findings`` groups them, and ``proposals`` turns them into
vectors. ``flips`` searches for single-bit flips that no check detects.
"""
