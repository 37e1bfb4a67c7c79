"""Whole databases: what a system returns when it opens or repairs a damaged log in its directory.

The suite tests the readers of logs. In practice a reader is part of a system with options, repair
tools and other files, and users see only what that system returns. Here the damaged logs contain
real write batches, messages and raft entries, and the results are keys, messages and entries.

``formats`` has the damaged logs of each format and the meaning of their records,
``implementations`` has the systems, ``run`` opens the logs with one of them, ``judge`` compares,
``answers`` stores the results, and ``page`` writes the page.
"""
