"""Parsers generated from ``ksy/``: packages to take away, and the proof that they agree.

``model`` is what a grammar says in a form that every driver can walk, ``listing`` the canonical
text of a parsed log, ``package`` the packages, ``lint`` and ``ksy_test`` are for grammar writers.
"""
