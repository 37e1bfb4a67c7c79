/** A record: `payload` in hexadecimal, or `payload_sha256` above 4096 bytes, and the fields of its format. */
export interface Record {
  file?: string;
  at: number;
  size: number;
  payload?: string;
  payload_sha256?: string;
  [field: string]: unknown;
}

/** A range of bytes, `from` inclusive, `to` exclusive. */
export interface Lost {
  file?: string;
  from: number;
  to: number;
  reason: string;
}

export interface Answer {
  verdict: "intact" | "torn" | "damaged" | "refused";
  reason: string | null;
  records: Record[];
  lost: Lost[];
  end: number | { file: string; at: number } | null;
}

/** A log and the expected answer; vectors/schema.json describes all fields. */
export class Vector {
  readonly id: string;
  readonly title: string;
  readonly format: string;
  readonly operation: "read" | "truncations" | "write" | "append";
  readonly input: string;
  readonly size: number;
  readonly context: { [key: string]: unknown };
  readonly [field: string]: unknown;
  readonly path: string;
  files(): Map<string, Uint8Array>;
  answers(profile?: "recover" | "strict"): Answer[];
}

export const folder: string;
export const index: { version: string; counts: { vectors: number }; vectors: { id: string }[] };
export function load(id: string): Vector;
export function vectors(format?: string): Generator<Vector>;
