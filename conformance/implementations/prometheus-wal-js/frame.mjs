// Pages, frames and their checksums (PRW-010 to PRW-015).
export const PAGE = 32768;
export const HEADER = 7;
export const MAX_DATA = PAGE - HEADER;
export const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];
export const SNAPPY = 8;
export const ZSTD = 16;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0x82f63b78 : byte >>> 1;
  return byte;
});

/** Return the CRC-32C of bytes (PRW-013). */
export function crc32c(bytes) {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = CRC_TABLE[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Return the end of the page that contains an offset, even if the segment is shorter. */
export const pageEnd = (at) => at - (at % PAGE) + PAGE;

/** Return the frame whose header begins at `p`. */
export function frameAt(bytes, p) {
  const length = bytes.readUInt16BE(p + 1);
  const flags = bytes[p] & (SNAPPY | ZSTD);
  return { p, q: p + HEADER + length, type: bytes[p] & 7, flags, length, checksum: bytes.readUInt32BE(p + 3) };
}

const matches = (bytes, { p, q, checksum }) => crc32c(bytes.subarray(p + HEADER, q)) === checksum;

/** Return whether a frame is sound (PRW-020). */
export function isSound(bytes, frame) {
  if (frame.q > bytes.length || frame.length > MAX_DATA) return false;
  if (frame.length === 0 && [0, MIDDLE, LAST].includes(frame.type)) return false;
  return matches(bytes, frame);
}

/**
 * Return the frame with the first length that differs from the stored length in one bit and proves the frame, or null
 * (PRW-024).
 */
export function withOtherLength(bytes, frame) {
  for (let bit = 0; bit < 16; bit++) {
    const length = frame.length ^ (1 << bit);
    const other = { ...frame, length, q: frame.p + HEADER + length, badLength: true };
    if (length > 0 && other.q <= Math.min(pageEnd(frame.p), bytes.length) && matches(bytes, other)) return other;
  }
  return null;
}
