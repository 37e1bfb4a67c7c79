"""CRC-32C of blocks by carry-less products, where the processor has them for 64 bytes at once.

A checksum is the remainder of a polynomial, and so stays what it is when 16 bytes are replaced by
what they become so many bytes later (Gopal et al., "Fast CRC Computation for Generic Polynomials
Using PCLMULQDQ Instruction", Intel 2009). Four registers of 64 bytes are carried along like this,
made one, then 16 bytes, whose checksum is that of everything before.
"""

from __future__ import annotations

from typing import Any

from walproof.scan.compiled import HAS_NUMBA, cgutils, has_feature, intrinsic, ir, types

HAS_PRODUCTS = HAS_NUMBA and all(map(has_feature, ("crc32", "avx512f", "vpclmulqdq")))
BLOCK, PIECE = 256, 64
"""Bytes that are carried along together, and in one register."""
_POLYNOMIAL = 0x82F63B78  # Castagnoli's, bits reversed
_LOW, _HIGH = 0x00, 0x11
"""Which halves of two registers are multiplied."""


def _power(exponent: int) -> int:
    """``x**exponent`` modulo the polynomial, bits reversed, as a factor of a product.

    A product of two reversed numbers is one bit short, which the factor makes up for.
    """
    found = 1 << 31
    for _ in range(exponent):
        found = found >> 1 ^ (_POLYNOMIAL if found & 1 else 0)
    return found << 1


def _further(size: int) -> tuple[int, int]:
    """What moves 16 bytes ``size`` bytes on: the factors of their two halves."""
    return _power(8 * size + 32), _power(8 * size - 32)


@intrinsic
def folded(typing: Any, crc: Any, data: Any, at: Any, blocks: Any, pieces: Any) -> Any:
    """Go on from ``crc`` over one block or more, then over pieces, of ``data[at:]``.

    ``crc`` is inverted, as it is within a computation. Nobody checks that the bytes are there.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        before, array, start, blocks, pieces = arguments
        word = ir.IntType(64)
        register = ir.VectorType(word, PIECE // 8)

        def number(value: int) -> Any:
            return ir.Constant(word, value)

        def called(name: str, returned: Any, *given: Any) -> Any:
            takes = ir.FunctionType(returned, [one.type for one in given])
            function = cgutils.get_or_insert_function(builder.module, takes, f"llvm.x86.{name}")
            return builder.call(function, given)

        def loaded(place: Any, piece: int = 0) -> Any:
            place = builder.gep(place, [number(piece * PIECE)])
            found = builder.load(builder.bitcast(place, register.as_pointer()))
            found.align = 1
            return found

        def moved(value: Any, factors: Any) -> Any:
            half = ir.IntType(8)
            return builder.xor(
                *(
                    called("pclmulqdq.512", register, value, factors, ir.Constant(half, halves))
                    for halves in (_LOW, _HIGH)
                )
            )

        by_block = ir.Constant(register, [*_further(BLOCK)] * 4)
        by_piece = ir.Constant(register, [*_further(PIECE)] * 4)
        to_last = [*_further(48), *_further(32), *_further(16), 0, 0]
        first = builder.gep(
            context.make_array(signature.args[1])(context, builder, array).data, [start]
        )
        held = [cgutils.alloca_once_value(builder, loaded(first, one)) for one in range(4)]
        begun = builder.insert_element(ir.Constant(register, [0] * 8), before, number(0))
        builder.store(builder.xor(builder.load(held[0]), begun), held[0])
        with cgutils.for_range(builder, builder.sub(blocks, number(1))) as loop:
            offset = builder.mul(builder.add(loop.index, number(1)), number(BLOCK))
            place = builder.gep(first, [offset])
            for piece, one in enumerate(held):
                further = moved(builder.load(one), by_block)
                builder.store(builder.xor(further, loaded(place, piece)), one)
        whole = held[0]
        for one in held[1:]:
            further = moved(builder.load(whole), by_piece)
            builder.store(builder.xor(further, builder.load(one)), whole)
        rest = builder.gep(first, [builder.mul(blocks, number(BLOCK))])
        with cgutils.for_range(builder, pieces) as loop:
            place = builder.gep(rest, [builder.mul(loop.index, number(PIECE))])
            further = moved(builder.load(whole), by_piece)
            builder.store(builder.xor(further, loaded(place)), whole)
        last = builder.load(whole)
        further = moved(last, ir.Constant(register, to_last))
        found = number(0)
        for half in range(2):
            parts = [builder.extract_element(further, number(2 * one + half)) for one in range(3)]
            part = builder.extract_element(last, number(6 + half))
            for one in parts:
                part = builder.xor(part, one)
            found = called("sse42.crc32.64.64", word, found, part)
        return found

    return types.uint64(types.uint64, data, types.int64, types.int64, types.int64), generate
