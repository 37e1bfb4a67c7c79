"""Generate parsers from ``ksy/``: packages for six languages, and checks of grammars.

``package`` generates the packages, and ``build`` generates the sources of the drivers in
``walproof/implementations``. ``lint`` and ``ksy_test`` are for authors of grammars.
``conformance.structure`` defines the field listing by which parsers are compared.
"""
