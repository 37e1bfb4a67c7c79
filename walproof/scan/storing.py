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
from walproof.scan.ahead.calls import GIVE_BACK
from walproof.scan.ahead.packed import SUFFIX, taking_packed

_KEPT = (bool, int, str)
_GIVEN = ("memcpy", "memmove", "memset", "memcmp", "malloc", "free")
"""What code may call that lies elsewhere: these are in every process."""
_OWNER = "{ i64, ptr, ptr, ptr, i64, ptr }"
_RUNTIME = f"""
declare ptr @malloc(i64)
declare void @free(ptr)

define internal ptr @owner(ptr %memory, ptr %destroy, ptr %information, ptr %data, i64 %size) {{
  store i64 1, ptr %memory
  %to_destroy = getelementptr {_OWNER}, ptr %memory, i32 0, i32 1
  store ptr %destroy, ptr %to_destroy
  %to_information = getelementptr {_OWNER}, ptr %memory, i32 0, i32 2
  store ptr %information, ptr %to_information
  %to_data = getelementptr {_OWNER}, ptr %memory, i32 0, i32 3
  store ptr %data, ptr %to_data
  %to_size = getelementptr {_OWNER}, ptr %memory, i32 0, i32 4
  store i64 %size, ptr %to_size
  %to_allocator = getelementptr {_OWNER}, ptr %memory, i32 0, i32 5
  store ptr null, ptr %to_allocator
  ret ptr %memory
}}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment) {{
  %told = zext i32 %alignment to i64
  %is_told = icmp ne i64 %told, 0
  %by = select i1 %is_told, i64 %told, i64 16
  %more = add i64 %by, 48
  %room = add i64 %size, %more
  %is_too_much = icmp ult i64 %room, %size
  br i1 %is_too_much, label %nothing, label %try
try:
  %memory = call ptr @malloc(i64 %room)
  %failed = icmp eq ptr %memory, null
  br i1 %failed, label %nothing, label %fill
fill:
  %start = getelementptr i8, ptr %memory, i64 48
  %address = ptrtoint ptr %start to i64
  %over = urem i64 %address, %by
  %wanted = sub i64 %by, %over
  %gap = urem i64 %wanted, %by
  %data = getelementptr i8, ptr %start, i64 %gap
  %made = call ptr @owner(ptr %memory, ptr null, ptr null, ptr %data, i64 %size)
  ret ptr %made
nothing:
  ret ptr null
}}

define internal void @free_list(ptr %data, i64 %size, ptr %information) {{
  %is_plain = icmp eq ptr %information, null
  br i1 %is_plain, label %done, label %destroy
destroy:
  call void %information(ptr %data)
  br label %done
done:
  call void @free(ptr %data)
  ret void
}}

define ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr %information) {{
  %memory = call ptr @malloc(i64 48)
  %failed = icmp eq ptr %memory, null
  br i1 %failed, label %nothing, label %try
try:
  %data = call ptr @malloc(i64 %size)
  %is_none = icmp eq ptr %data, null
  br i1 %is_none, label %release, label %fill
fill:
  %made = call ptr @owner(ptr %memory, ptr @free_list, ptr %information, ptr %data, i64 %size)
  ret ptr %made
release:
  call void @free(ptr %memory)
  br label %nothing
nothing:
  ret ptr null
}}

define void @NRT_MemInfo_call_dtor(ptr %memory) {{
  %to_destroy = getelementptr {_OWNER}, ptr %memory, i32 0, i32 1
  %destroy = load ptr, ptr %to_destroy
  %is_plain = icmp eq ptr %destroy, null
  br i1 %is_plain, label %done, label %more
more:
  %to_information = getelementptr {_OWNER}, ptr %memory, i32 0, i32 2
  %information = load ptr, ptr %to_information
  %to_data = getelementptr {_OWNER}, ptr %memory, i32 0, i32 3
  %data = load ptr, ptr %to_data
  %to_size = getelementptr {_OWNER}, ptr %memory, i32 0, i32 4
  %size = load i64, ptr %to_size
  call void %destroy(ptr %data, i64 %size, ptr %information)
  br label %done
done:
  call void @free(ptr %memory)
  ret void
}}

define void @{GIVE_BACK}(ptr %memory) {{
  %before = atomicrmw sub ptr %memory, i64 1 acq_rel
  %is_last = icmp eq i64 %before, 1
  br i1 %is_last, label %last, label %done
last:
  call void @NRT_MemInfo_call_dtor(ptr %memory)
  br label %done
done:
  ret void
}}
"""
"""The memory of arrays that kernels make: what ``ahead/runtime.c`` is for the library."""


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
    """Symbol, arguments and result of a kernel that is compiled for one signature.

    The symbol is that of the function beside it that takes its arguments packed.
    """
    if len(kernel.overloads) != 1:
        raise _CannotBeKept(name)
    (compiled,) = kernel.overloads.values()

    def kind(type: Any) -> Any:
        if isinstance(type, types.Array) and type.layout == "C" and str(type.dtype) in numbers:
            return [str(type.dtype), type.ndim, type.mutable]
        if isinstance(type, types.BaseTuple):
            return {"of": [kind(one) for one in type]}
        if str(type) not in numbers:
            raise _CannotBeKept(str(type))
        return str(type)

    takes = [kind(one) for one in compiled.signature.args]
    returned = compiled.signature.return_type
    returns = "none" if returned == types.none else kind(returned)
    return compiled.fndesc.llvm_func_name + SUFFIX, takes, returns


def _object_file(kernels: Sequence[Any], symbols: Sequence[str]) -> bytes:
    """Machine code of these kernels and of what they call, and of nothing else."""
    if not kernels:
        raise _CannotBeKept
    libraries = [next(iter(one.overloads.values())).library for one in kernels]
    whole = llvm.parse_assembly("")
    whole.triple, whole.data_layout = llvm.get_process_triple(), ""
    for library, symbol in zip(libraries, symbols, strict=True):
        part = library._get_module_for_linking().clone()
        kernel = part.get_function(symbol.removesuffix(SUFFIX))
        kernel.linkage = "external"  # else it is left out: nobody calls it
        packed = llvm.parse_assembly(taking_packed(kernel))
        whole.data_layout = packed.data_layout = part.data_layout
        packed.triple = whole.triple
        whole.link_in(part)
        whole.link_in(packed)
    whole.link_in(llvm.parse_assembly(_RUNTIME))
    kept = {*symbols, GIVE_BACK}
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in kept else "internal"
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
