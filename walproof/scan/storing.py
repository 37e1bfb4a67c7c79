"""How the machine code of a module of kernels is kept for :mod:`walproof.scan.stored`."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Container, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core.dispatcher import Dispatcher

from conformance.saving import save

_KEPT = (bool, int, str)
_GIVEN = ("memcpy", "memmove", "memset", "memcmp")
"""What code may call that lies elsewhere: these are in every process."""
_NEVER = """
declare void @llvm.trap()
define void @NRT_MemInfo_call_dtor(ptr %0) {
  call void @llvm.trap()
  unreachable
}
"""
"""What ends an array that nobody holds any more: an array of the caller's has no such owner."""


class _CannotBeKept(Exception):
    """A kernel needs something of numba when it runs."""


def store(module: ModuleType, path: Path, numbers: Container[str]) -> None:
    """Keep the kernels of a module in a file; nothing where that is not possible.

    ``numbers`` are the types of numbers, by numba's names, that can be passed.
    """
    kernels = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, Dispatcher) and value.nopython_signatures
    }
    with contextlib.suppress(_CannotBeKept, OSError, RuntimeError):
        said: dict[str, tuple[str, list[Any], Any]] = {}
        for name, one in kernels.items():
            with contextlib.suppress(_CannotBeKept):
                said[name] = _described(name, one, numbers)
        code = _object_file([kernels[name] for name in said], [one[0] for one in said.values()])
        head = {
            "sha256": hashlib.sha256(code).hexdigest(),
            "constants": {name: one for name, one in vars(module).items() if _is_kept(name, one)},
            "kernels": said,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, json.dumps(head).encode() + b"\n" + code, sync=False)


def _is_kept(name: str, value: Any) -> bool:
    if name.startswith("__"):
        return False
    if type(value) in (tuple, list):
        return all(type(one) in _KEPT for one in value)
    return type(value) in _KEPT


def _described(name: str, kernel: Any, numbers: Container[str]) -> tuple[str, list[Any], Any]:
    """Symbol, arguments and result of a kernel that is compiled for one signature."""
    if len(kernel.overloads) != 1:
        raise _CannotBeKept(name)
    (compiled,) = kernel.overloads.values()

    def number(type: Any) -> str:
        if str(type) not in numbers:
            raise _CannotBeKept(str(type))
        return str(type)

    def argument(type: Any) -> Any:
        if isinstance(type, types.Array) and type.layout == "C":
            return [str(type.dtype), type.ndim, type.mutable]
        if isinstance(type, types.UniTuple):
            return [number(type.dtype), type.count, None]
        return number(type)

    def result(type: Any) -> Any:
        if isinstance(type, types.UniTuple):
            return [type.count, number(type.dtype)]
        return "none" if type == types.none else number(type)

    arguments = [argument(one) for one in compiled.signature.args]
    return compiled.fndesc.llvm_func_name, arguments, result(compiled.signature.return_type)


def _object_file(kernels: Sequence[Any], symbols: Sequence[str]) -> bytes:
    """Machine code of these kernels and of what they call, and of nothing else."""
    if not kernels:
        raise _CannotBeKept
    libraries = [next(iter(one.overloads.values())).library for one in kernels]
    whole = llvm.parse_assembly("")
    whole.triple, whole.data_layout = llvm.get_process_triple(), ""
    for library, symbol in zip(libraries, symbols, strict=True):
        part = library._get_module_for_linking().clone()
        part.get_function(symbol).linkage = "external"  # else it is left out: nobody calls it
        whole.data_layout = part.data_layout
        whole.link_in(part)
    whole.link_in(llvm.parse_assembly(_NEVER))
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in symbols else "internal"
    machine = libraries[0].codegen._tm
    builder = llvm.create_pass_builder(machine, llvm.PipelineTuningOptions())
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(whole, builder)
    for one in [*whole.functions, *whole.global_variables]:
        if one.is_declaration and not one.name.startswith("llvm.") and one.name not in _GIVEN:
            raise _CannotBeKept(one.name)
    code: bytes = machine.emit_object(whole)
    return code
