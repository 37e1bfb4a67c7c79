"""The conformance suite: vectors, protocol, a run and its comparison, reports, recipes."""

from reference_impl.paths import BUILD, GRAMMARS, REPORTS, ROOT, SPEC, VECTORS

__all__ = ["BUILD", "GRAMMARS", "REPORTS", "ROOT", "SPEC", "VECTORS", "__version__"]

__version__: str


def __getattr__(name: str) -> str:
    """``__version__``, which is that of the distribution: a tag of git gave it its name."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version  # half of the time of an import

    try:
        return version("walproof")
    except PackageNotFoundError:
        return "0+unknown"
