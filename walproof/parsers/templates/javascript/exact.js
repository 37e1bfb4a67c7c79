// 64-bit integers that stay exact: a JavaScript number holds integers up to 2^53 only.
"use strict";

const KaitaiStream = require("kaitai-struct/KaitaiStream");

/** An integer above 2^53: as a number it is rounded, `exact` has it in full. */
class BigNumber extends Number {
  constructor(exact) {
    super(Number(exact));
    this.exact = exact;
  }
}

const numberOf = (big) => (Number.isSafeInteger(Number(big)) ? Number(big) : new BigNumber(big));

/** The stream of the runtime, with 64-bit integers that know their exact value. */
class ExactStream extends KaitaiStream {
  constructor(bytes) {
    // The runtime wants an ArrayBuffer; a Uint8Array may be a part of a larger one.
    super(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), 0);
  }
}

// Substreams are made by generated code as plain KaitaiStream: so the readers are replaced there.
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

// Bit fields of more than 48 bits, which the runtime refuses or rounds: read in two parts.
for (const [name, lowFirst] of [["readBitsIntLe", true], ["readBitsIntBe", false]]) {
  const read = KaitaiStream.prototype[name];
  KaitaiStream.prototype[name] = function (bits) {
    if (bits <= 48) return read.call(this, bits);
    const first = BigInt(read.call(this, lowFirst ? 32 : bits - 32));
    const second = BigInt(read.call(this, lowFirst ? bits - 32 : 32));
    return numberOf(lowFirst ? (second << 32n) | first : (first << 32n) | second);
  };
}

/** An integer field as a BigInt, exact. */
function exact(value) {
  return value instanceof BigNumber ? value.exact : BigInt(value);
}

module.exports = { ExactStream, exact };
