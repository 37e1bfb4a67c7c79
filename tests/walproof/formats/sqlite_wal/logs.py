"""SQLite logs for tests, with random transactions and random damage."""

from __future__ import annotations

import random

from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    PAGE_SIZES,
    Header,
    Order,
    frames,
)

Image = tuple[int, int, bytes]


def transactions(rng: random.Random, count: int, page_size: int) -> list[Image]:
    """Return the frames of ``count`` transactions as page number, database size and page image."""
    images: list[Image] = []
    for _ in range(count):
        if images and rng.random() < 0.2:
            # Add a padding frame, or a frame that only resembles padding.
            page, _, image = images[-1]
            images.append((page, images[-1][1], image if rng.random() < 0.8 else image[::-1]))
            continue
        for left in range(rng.choice((1, 1, 1, 2, 3)) - 1, -1, -1):
            image = bytes([rng.randrange(256)]) * (page_size - 8) + rng.randbytes(8)
            images.append((rng.randrange(1, 5), 0 if left else rng.randrange(1, 6), image))
    return images


def make_log(rng: random.Random, page_size: int | None = None, count: int | None = None) -> bytes:
    """Return a log that is sometimes followed by older frames, zeros or part of a frame."""
    page_size = page_size or rng.choice(PAGE_SIZES[:3])
    order: Order = rng.choice(("<", ">"))
    salts = rng.choice((rng.randbytes(8), bytes(8)))
    header = Header(order, page_size, rng.choice((0, 1, 0xFFFFFFFF)), salts)
    images = transactions(rng, rng.randrange(9) if count is None else count, page_size)
    if rng.random() < 0.2:
        images += [(page, 0, image) for page, _, image in transactions(rng, 2, page_size)]
    log, _ = frames(images, header, header.checksum)
    if rng.random() < 0.3:
        older = Header(order, page_size, 0, rng.randbytes(8))
        log += frames(transactions(rng, 2, page_size), older, older.checksum)[0]
    if rng.random() < 0.3:
        log += rng.choice((bytes(600), log[:20], log[: rng.randrange(600)], rng.randbytes(30)))
    return header.to_bytes() + log


def damage(rng: random.Random, log: bytes) -> bytes:
    """Damage a log: change bits or fields; move, remove or zero slots; or cut off its end."""
    data = bytearray(log)
    if len(data) < HEADER_SIZE + FRAME_HEADER_SIZE:
        return bytes(data[: rng.randrange(len(data) + 1)])
    page_size = int.from_bytes(log[8:12], "big")
    slot = FRAME_HEADER_SIZE + page_size
    for _ in range(rng.choice((1, 1, 2, 3))):
        slots = list(range(HEADER_SIZE, len(data) - slot + 1, slot))
        one, other = (rng.choice(slots or [HEADER_SIZE]) for _ in range(2))
        match rng.randrange(8):
            case 0:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 1:
                field = one + 4 * rng.randrange(6)
                data[field : field + 4] = rng.choice(
                    (bytes(4), b"\xff" * 4, data[field - 4 : field])
                )
            case 2:
                data[one : one + slot] = data[other : other + slot]
            case 3:
                data[one : one + slot], data[other : other + slot] = (
                    data[other : other + slot],
                    data[one : one + slot],
                )
            case 4:
                data[one : one + slot] = b""
            case 5:
                data[one : one + rng.choice((16, 24, slot))] = bytes(rng.choice((16, 24, slot)))
            case 6:
                data[: rng.choice((4, 32, 512))] = bytes(rng.choice((4, 32, 512)))
            case _:
                del data[rng.randrange(len(data)) :]
        if len(data) < HEADER_SIZE + FRAME_HEADER_SIZE:
            break
    return bytes(data)
