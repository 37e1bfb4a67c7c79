"""Whole databases: what a system returns that opens, or repairs, a damaged log in its own folder.

The suite asks the readers of logs. Behind each stands a system with options, repair tools and a
folder of more files, and what that returns is what a user has left. Here the damaged logs carry
real write batches, messages and raft entries, and an answer is keys, messages and entries.

``formats`` has the damaged logs of each format and what their records mean to a system,
``implementations`` the systems, ``opening`` runs one, ``judge`` compares, ``answers`` keeps what
came of it, and ``page`` says it.
"""
