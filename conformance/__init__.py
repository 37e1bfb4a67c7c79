"""The conformance suite: vectors, protocol, a run and its comparison, reports, recipes."""

from reference_impl.places import BUILD, GRAMMARS, REPORTS, ROOT, SPEC, VECTORS

__all__ = ["BUILD", "GRAMMARS", "REPORTS", "ROOT", "SPEC", "VECTORS", "__version__"]

__version__ = "0.1.0"
