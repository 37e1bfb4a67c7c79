"""Load changed modules of a format without affecting the original ones."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from lab.mutants.choice import sources_of
from reference_impl.formats import Format, named
from reference_impl.register import registers


def codes_of(format_id: str) -> dict[str, CodeType]:
    """Return the compiled modules of a format's package, by name."""
    return {
        name: compile(path.read_text("utf-8"), str(path), "exec")
        for name, path in sources_of(format_id).items()
    }


def load_modules(
    codes: Mapping[str, CodeType], names: Mapping[str, Any] | None = None
) -> dict[str, ModuleType]:
    """Load modules; return them by name. ``names`` are additional globals of each module.

    All other code, such as the comparison of answers, continues to use the original modules.
    """
    original = {name: sys.modules.pop(name) for name in codes if name in sys.modules}
    finder = _Finder(codes, names or {})
    sys.meta_path.insert(0, finder)
    try:
        return {name: importlib.import_module(name) for name in codes}
    finally:
        sys.meta_path.remove(finder)
        for name in codes:
            sys.modules.pop(name, None)
        sys.modules.update(original)


def formats_in(modules: Mapping[str, ModuleType], format_ids: Sequence[str]) -> dict[str, Format]:
    """Return the formats that the modules implement."""
    return {each: _format(each, modules) for each in format_ids}


def _format(format_id: str, modules: Mapping[str, ModuleType]) -> Format:
    module = modules[f"reference_impl.{registers()[format_id].module}"]
    original = named(format_id)
    copied: Callable[..., object] = getattr(module, "copied", original.copied)
    return Format(
        format_id, original.title, module.recognise, module.read, module.write, module.append,
        copied,  # type: ignore[arg-type]
    )  # fmt: skip


class _Finder(MetaPathFinder, Loader):
    def __init__(self, codes: Mapping[str, CodeType], names: Mapping[str, Any]) -> None:
        self.codes = codes
        self.names = names

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.codes:
            return None
        is_package = self.codes[name].co_filename.endswith("__init__.py")
        return importlib.util.spec_from_loader(name, self, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(self.names)
        exec(self.codes[module.__name__], module.__dict__)
