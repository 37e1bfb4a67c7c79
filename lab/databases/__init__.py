"""Test whole databases: a system opens or repairs a damaged log in its directory.

The suite tests the readers of logs. In practice, a reader is part of a system with options, repair
tools and other files. The damaged logs here contain real write batches, messages and raft entries.
The results are the keys, messages and entries that the system returns.
"""
