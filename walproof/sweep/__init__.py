"""``walproof sweep``: the damage algebra, exhaustively, against any number of implementations.

A case is a control and the number of a damage (``recipes``): both are small, and the damaged log
is made where it is read. ``plan`` cuts the cases into shards, ``shard`` runs one of them anywhere,
``job`` runs all of them on Spark. ``judge`` says what an answer is worth, ``children`` keeps the
programs under test, ``guard`` kills them when nobody else can. What was found is made small by
``minimise``, becomes vectors in ``proposals`` and sentences in ``summary``.
"""
