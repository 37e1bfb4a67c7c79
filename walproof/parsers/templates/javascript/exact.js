// Exact 64-bit integers: a JavaScript number is exact only up to 2^53.
"use strict";

const KaitaiStream = require("kaitai-struct/KaitaiStream");

/** An integer above 2^53. As a number it is rounded; `exact` holds the exact value. */
class BigNumber extends Number {
  constructor(exact) {
    super(Number(exact));
    this.exact = exact;
  }
}

const numberOf = (big) => (Number.isSafeInteger(Number(big)) ? Number(big) : new BigNumber(big));

/** The stream of the runtime, with 64-bit integers that keep their exact value. */
class ExactStream extends KaitaiStream {
  constructor(bytes) {
    // The runtime requires an ArrayBuffer, but a Uint8Array may be a part of a larger buffer.
    super(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), 0);
  }
}

// Generated code creates substreams as plain KaitaiStream, so the read methods are replaced in KaitaiStream.
const view = (stream) => {
  stream.ensureBytesLeft(8);
  stream.pos += 8;
  return new DataView(stream._buffer, stream._byteOffset + stream.pos - 8, 8);
};
KaitaiStream.prototype.readU8le = function () {
  return numberOf(view(this).getBigUint64(0, true));
};
KaitaiStream.prototype.readU8be = function () {
  return numberOf(view(this).getBigUint64(0, false));
};
KaitaiStream.prototype.readS8le = function () {
  return numberOf(view(this).getBigInt64(0, true));
};
KaitaiStream.prototype.readS8be = function () {
  return numberOf(view(this).getBigInt64(0, false));
};

// Bit fields of more than 48 bits are read in two parts, because the runtime rejects or rounds them.
for (const [name, lowFirst] of [["readBitsIntLe", true], ["readBitsIntBe", false]]) {
  const read = KaitaiStream.prototype[name];
  KaitaiStream.prototype[name] = function (bits) {
    if (bits <= 48) return read.call(this, bits);
    const first = BigInt(read.call(this, lowFirst ? 32 : bits - 32));
    const second = BigInt(read.call(this, lowFirst ? bits - 32 : 32));
    return numberOf(lowFirst ? (second << 32n) | first : (first << 32n) | second);
  };
}

/** Returns an integer field as an exact BigInt. */
function exact(value) {
  return value instanceof BigNumber ? value.exact : BigInt(value);
}

module.exports = { ExactStream, exact };
