"""The conformance suite: vectors, protocol, test runs, comparison, reports, and recipes."""

from reference_impl.paths import BUILD, GRAMMARS, REPORTS, ROOT, SPEC, VECTORS

__all__ = ["BUILD", "GRAMMARS", "REPORTS", "ROOT", "SPEC", "VECTORS", "__version__"]

__version__: str


def __getattr__(name: str) -> str:
    """Return ``__version__``, the version of the installed distribution."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # This import is local, because it would double the import time of this package.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("walproof")
    except PackageNotFoundError:
        return "0+unknown"
