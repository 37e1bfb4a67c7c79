"""Parsers generated from ``ksy/``: packages to take away, and the proof that they agree.

``package`` makes the packages, ``build`` what the drivers in ``walproof/implementations`` need;
``lint`` and ``ksy_test`` are for people who write grammars. The listing by which parsers are
compared is in ``conformance.structure``.
"""
