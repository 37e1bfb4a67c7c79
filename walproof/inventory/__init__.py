"""The inventory of a folder of logs as three tables: ``records``, ``damage`` and ``files``.

``logs`` finds the logs and their files. ``result`` divides the work into tasks and merges their
results, and ``task`` runs a task. ``schemas`` defines the columns, and ``tally`` the counters.
``summary`` computes the summary, which ``report`` displays. The tasks run in a worker pool
(``walproof export --parquet DIR``) or on Spark (``walproof audit``).
"""
