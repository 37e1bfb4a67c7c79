"""Generate parsers from ``ksy/``: packages for six languages.

``package`` generates the packages, and ``build`` the sources of the drivers in
``walproof/implementations``. ``conformance.structure`` defines the listing that compares parsers.
"""
