"""Parsers generated from ``ksy/``: packages for six languages, and checks of grammars.

``package`` generates the packages, and ``build`` the sources of the drivers in
``walproof/implementations``.
``conformance.structure`` defines the listing that compares parsers.
"""
