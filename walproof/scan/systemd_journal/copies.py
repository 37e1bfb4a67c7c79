"""Names copied, and bytes asked for before they are needed.

Fields have some tens of bytes, and lengths that no processor foresees: who copies 32 bytes at once
hardly ever has a second turn to foresee. Who follows links waits for memory at each, unless it was
asked for some objects earlier.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

from walproof.scan.compiled import cgutils, helper, intrinsic, ir, types
from walproof.scan.memory import copy32

AHEAD = 12
"""So many objects ahead memory is asked for: about what one takes to come."""

_TO_READ = (0, 3, 1)
"""What LLVM is told: to read, to be kept in all caches, data."""


@helper()
def copy_name(to, to_at, names, at, count):
    """A name of at most 64 bytes from the table of names, which has room for 72 each.

    ``to`` has ``words.SLACK`` bytes of room more, which are written later or belong to nobody.
    """
    copy32(to, to_at, names, at)
    if count > 32:
        copy32(to, to_at + 32, names, at + 32)


@intrinsic
def prefetch(typing: Any, data: Any, at: Any) -> Any:
    """Ask for the bytes at a place, which may lie anywhere: nothing is read."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(called, [place, *(ir.Constant(number, value) for value in _TO_READ)])
        return context.get_dummy_value()

    return types.void(data, types.intp), generate
