// Snappy blocks and zstd frames, with their limits (PRW-031 to PRW-034).
import { createRequire } from 'node:module';
import { SNAPPY, ZSTD } from './frame.mjs';

const require = createRequire(import.meta.url);
const zstd = require('@bokuweb/zstd-wasm');
const snappy = require('snappy-wasm');
await zstd.init();

const MIB = 1024 * 1024;
const MAX_CONTENT = 64 * MIB;
const MAX_WINDOW = 128 * MIB;
const MAX_BLOCK = MIB / 8;
const COMPRESSORS = { snappy: [SNAPPY, snappy.compress_raw], zstd: [ZSTD, zstd.compress] };

/** Return the content and the flag of a record to write (PRW-072). */
export function compress(payload, name = 'none') {
  if (name !== 'none' && payload.length > 0 && payload.length <= MAX_CONTENT) {
    const [flag, encode] = COMPRESSORS[name];
    const content = Buffer.from(encode(payload));
    if (content.length < payload.length) return { content, flag };
  }
  return { content: payload, flag: 0 };
}

/** Decompresses the records of a log within its budget. */
export class Decompressor {
  #spent = 0; // the part of the budget that all zstd frames so far have used (PRW-034)

  /**
   * Return the payload and `compression` of a record, or the `reason` why it is lost. `logBytes` is the size of the log
   * up to the end of the record.
   */
  decode(content, flags, logBytes) {
    if (content.length === 0) return { payload: content, compression: 'none' };
    let reason = 'bad-compression';
    const attempts = [
      ['zstd', flags.some((flag) => flag & ZSTD), () => this.#decodeZstd(content, 1024 * logBytes + 256 * MIB)],
      ['snappy', flags.some((flag) => flag & SNAPPY), () => decodeSnappy(content)],
      ['none', flags.includes(0), () => ({ payload: content })],
    ];
    for (const [compression, , decode] of attempts.filter(([, isFlag]) => isFlag)) {
      const { payload, tooLarge } = decode();
      if (payload?.length > 0) return { payload, compression };
      if (tooLarge) reason = 'too-large';
    }
    return { reason };
  }

  #decodeZstd(content, budget) {
    const capacity = zstdCapacity(content);
    if (capacity === null) return {};
    const limit = Math.min(MAX_CONTENT, budget - this.#spent);
    let payload = null;
    if (capacity.isWhole && (capacity.stated === null || capacity.bytes <= limit)) {
      const size = Math.max(0, Math.min(capacity.bytes, limit));
      payload = attempt(() => zstd.decompress(content, { defaultHeapSize: size }));
    }
    this.#spent += payload ? payload.length : Math.min(capacity.bytes, MAX_CONTENT);
    return payload ? { payload } : { tooLarge: capacity.bytes > limit };
  }
}

/** Return how many bytes the blocks of a zstd frame can hold, or null if its header or blocks are invalid (PRW-031). */
function zstdCapacity(content) {
  if (content.length < 6 || content.readUInt32LE(0) !== 0xfd2fb528) return null;
  const descriptor = content[4];
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6];
  let at = 5;
  const take = (count) => content.subarray(at, (at += count));
  const [windowCode] = take(singleSegment ? 0 : 1);
  const dictionary = take([0, 1, 2, 4][descriptor & 3]);
  const size = take(sizeBytes);
  if ((descriptor & 8) !== 0 || at > content.length || dictionary.some((byte) => byte !== 0)) return null;
  const stated = sizeBytes === 0 ? null
    : sizeBytes === 8 ? Number(size.readBigUInt64LE()) : size.readUIntLE(0, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const window = singleSegment ? stated : 2 ** (7 + (windowCode >> 3)) * (8 + (windowCode & 7));
  if (window > MAX_WINDOW) return null;
  const maxBlock = Math.min(window, MAX_BLOCK);
  let sum = 0;
  for (let last = false; !last;) {
    if (at + 3 > content.length) return null;
    const header = content.readUIntLE(at, 3);
    last = (header & 1) === 1;
    const type = (header >> 1) & 3; // 0 raw, 1 repeated, 2 compressed
    const blockSize = header >> 3;
    if (type === 3 || blockSize > maxBlock) return null;
    at += 3 + (type === 1 ? 1 : blockSize);
    sum += type === 2 ? maxBlock : blockSize;
  }
  if (at > content.length || stated > sum) return null;
  at += descriptor & 4; // the checksum
  return { stated, bytes: stated ?? sum, isWhole: at === content.length };
}

/** Decompress one Snappy block. Return no payload if the block is invalid. */
function decodeSnappy(block) {
  let size = 0;
  let at = 0;
  for (let scale = 1; ; scale *= 128) {
    if (at === Math.min(block.length, 10) || (at === 9 && block[at] > 1)) return {}; // not a 64-bit number
    size += (block[at] & 127) * scale;
    if (block[at++] < 128) break;
  }
  if (size * 3 > block.length * 64) return {};
  if (size > MAX_CONTENT) return { tooLarge: true };
  return { payload: attempt(() => snappy.decompress_raw(block)) };
}

/** Return a result as a buffer, or null after an exception. */
function attempt(decompress) {
  try {
    return Buffer.from(decompress());
  } catch {
    return null;
  }
}
