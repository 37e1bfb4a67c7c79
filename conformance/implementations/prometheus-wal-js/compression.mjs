// Blocks of snappy and frames of zstd, with their limits (PRW-031 to PRW-034).
import { createRequire } from 'node:module';
import { SNAPPY, ZSTD } from './frame.mjs';

const require = createRequire(import.meta.url);
const zstd = require('@bokuweb/zstd-wasm');
const snappy = require('snappyjs');
await zstd.init();

const MIB = 1024 * 1024;
const MAX_CONTENT = 64 * MIB;
const MAX_WINDOW = 128 * MIB;
const MAX_BLOCK = 128 * 1024;

const COMPRESSORS = { snappy: [SNAPPY, snappy.compress], zstd: [ZSTD, zstd.compress] };

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
  #spent = 0; // what all frames of zstd so far count (PRW-034)

  /**
   * Return the payload of a record and its `compression`, or the `reason` why it is lost.
   * `flags` are those of its frames, and `logBytes` is the size of the log up to its end.
   */
  decode(content, flags, logBytes) {
    if (content.length === 0) return { payload: content, compression: 'none' };
    let reason = 'bad-compression';
    const attempts = {
      zstd: [flags.some((flag) => flag & ZSTD), () => this.#decodeZstd(content, 1024 * logBytes + 256 * MIB)],
      snappy: [flags.some((flag) => flag & SNAPPY), () => decodeSnappy(content)],
      none: [flags.includes(0), () => ({ payload: content })],
    };
    for (const [compression, [isFlag, attempt]] of Object.entries(attempts)) {
      if (!isFlag) continue;
      const { payload, tooLarge } = attempt();
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
      try {
        payload = Buffer.from(zstd.decompress(content, { defaultHeapSize: Math.max(0, Math.min(capacity.bytes, limit)) }));
      } catch { /* invalid, or larger than the limit */ }
    }
    this.#spent += payload ? payload.length : Math.min(capacity.bytes, MAX_CONTENT);
    return payload ? { payload } : { tooLarge: capacity.bytes > limit };
  }
}

/** Return the bytes that the blocks of a frame of zstd can hold, or null if its header or blocks are invalid (PRW-031). */
function zstdCapacity(content) {
  if (content.length < 6 || content.readUInt32LE(0) !== 0xfd2fb528) return null;
  const descriptor = content[4];
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6];
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3];
  const windowBytes = singleSegment ? 0 : 1;
  let at = 5 + windowBytes + dictionaryBytes + sizeBytes;
  if ((descriptor & 8) !== 0 || at > content.length) return null;
  const dictionary = content.subarray(5 + windowBytes, 5 + windowBytes + dictionaryBytes);
  const size = content.subarray(at - sizeBytes, at);
  const stated = sizeBytes === 0 ? null
    : sizeBytes === 8 ? Number(size.readBigUInt64LE()) : size.readUIntLE(0, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const base = 2 ** (10 + (content[5] >> 3));
  const window = singleSegment ? stated : base + (base / 8) * (content[5] & 7);
  if (dictionary.some((byte) => byte !== 0) || window > MAX_WINDOW) return null;
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
  at += descriptor & 4; // the checksum
  return { stated, bytes: stated ?? sum, isWhole: at === content.length };
}

/** Decompress one block of snappy; return no payload if it is invalid. */
function decodeSnappy(block) {
  let size = 0;
  let at = 0;
  for (let scale = 1; ; scale *= 128) {
    if (at >= Math.min(block.length, 5)) return {};
    size += (block[at] & 127) * scale;
    if (block[at++] < 128) break;
  }
  if (size * 3 > block.length * 64 || size >= 2 ** 32) return {};
  if (size > MAX_CONTENT) return { tooLarge: true };
  const payload = Buffer.alloc(size);
  let written = 0;
  while (at < block.length) {
    const tag = block[at++];
    const kind = tag & 3; // 0 literal, 1 to 3 copy with an offset of 1, 2 or 4 bytes
    const extra = kind === 0 ? Math.max(0, (tag >> 2) - 59) : [0, 1, 2, 4][kind];
    if (at + extra > block.length) return {};
    const number = extra === 0 ? 0 : block.readUIntLE(at, extra);
    at += extra;
    if (kind === 0) {
      const length = (extra === 0 ? tag >> 2 : number) + 1;
      if (at + length > block.length || written + length > size) return {};
      block.copy(payload, written, at, at + length);
      at += length;
      written += length;
      continue;
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = kind === 1 ? ((tag >> 5) << 8) + number : number;
    if (offset === 0 || offset > written || written + length > size) return {};
    for (let i = 0; i < length; i++, written++) payload[written] = payload[written - offset];
  }
  return written === size ? { payload } : {};
}
