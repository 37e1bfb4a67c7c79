"""Kernels that take their arguments packed, in the code of LLVM: for :mod:`.calls`."""

from __future__ import annotations

from typing import Any

SUFFIX = ".packed"


def taking_packed(function: Any) -> str:
    """LLVM code of a function that calls a kernel with the values that lie one after the other.

    ``function`` is the kernel in a module of ``llvmlite.binding``, its first two arguments are the
    places of the result and of an error. Each value has eight bytes, of which it takes the low ones
    that it needs. The name is the kernel's with :data:`SUFFIX`.
    """
    kinds = [str(one.type) for one in function.arguments]
    lines, passed = [], [f"{kind} %{given}" for kind, given in zip(kinds, "re", strict=False)]
    for number, kind in enumerate(kinds[2:]):
        lines.append(f"%p{number} = getelementptr i64, ptr %values, i64 {number}")
        lines.append(f"%v{number} = load {kind}, ptr %p{number}, align 1")
        passed.append(f"{kind} %v{number}")
    body = "\n  ".join(lines)
    return f"""
declare i32 @"{function.name}"({", ".join(kinds)})

define i32 @"{function.name}{SUFFIX}"({kinds[0]} %r, {kinds[1]} %e, ptr %values) {{
  {body}
  %done = call i32 @"{function.name}"({", ".join(passed)})
  ret i32 %done
}}
"""
