"""A second copy of a format's package in this process, with one module changed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

import reference_impl
from reference_impl.formats import Format, named
from reference_impl.register import registers


def sources_of(format_id: str) -> dict[str, Path]:
    """The source files of a format's package by name of module."""
    package = f"reference_impl.{registers()[format_id].module}"
    folder = Path(reference_impl.__file__).parent / registers()[format_id].module
    return {
        package if path.stem == "__init__" else f"{package}.{path.stem}": path
        for path in sorted(folder.glob("*.py"))
    }


def codes_of(format_id: str) -> dict[str, CodeType]:
    """The compiled modules of a format's package, by name."""
    return {
        name: compile(path.read_text("utf-8"), str(path), "exec")
        for name, path in sources_of(format_id).items()
    }


def load_format(format_id: str, codes: Mapping[str, CodeType]) -> Format:
    """The format as these modules have it, which replace the imported ones.

    Who imported a module before keeps the original. Raises whatever the modules raise.
    """
    package = f"reference_impl.{registers()[format_id].module}"
    for name in codes:
        sys.modules.pop(name, None)
    finder = _Finder(codes)
    sys.meta_path.insert(0, finder)
    try:
        module = importlib.import_module(package)
    finally:
        sys.meta_path.remove(finder)
    original = named(format_id)
    copied: Callable[..., object] = getattr(module, "copied", original.copied)
    return Format(
        format_id, original.title, module.recognise, module.read, module.write, module.append,
        copied,  # type: ignore[arg-type]
    )  # fmt: skip


class _Finder(MetaPathFinder, Loader):
    def __init__(self, codes: Mapping[str, CodeType]) -> None:
        self.codes = codes

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.codes:
            return None
        is_package = self.codes[name].co_filename.endswith("__init__.py")
        return importlib.util.spec_from_loader(name, self, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        exec(self.codes[module.__name__], module.__dict__)
