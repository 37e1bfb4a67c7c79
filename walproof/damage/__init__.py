"""Damage to anybody's log, in the words that the vectors use (spec/conventions.md).

``words`` reads an operation and carries it out; ``fields`` says what there is to damage; ``family``
makes many damaged copies from a seed, with a manifest of what was done to each.
"""
