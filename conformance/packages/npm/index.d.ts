/** Where a log may go on: an offset, a file and an offset in it, or null for a new file. */
export type End = number | { file: string; at: number } | null;

/** A record: `payload` in hexadecimal or, above 4096 bytes, `payload_sha256`; then what the format adds. */
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
  end: End;
}

/** What a write or an append leaves; vectors/schema.json has more. */
export interface After {
  files: { name: string; size: number; sha256?: string }[];
  bytes?: { name: string; at: number; hex: string }[];
  free?: { freedom: string; because: string }[];
}

/** A log, what is asked of it, and what is owed. vectors/schema.json describes each field. */
export class Vector {
  readonly id: string;
  readonly title: string;
  readonly format: string;
  readonly kind: "valid" | "eof" | "corrupt" | "limit";
  readonly group: string;
  readonly requirements: string[];
  readonly operation: "read" | "truncations" | "write" | "append";
  readonly input: string;
  readonly sha256: string;
  readonly size: number;
  readonly control: string | null;
  readonly made_by: { recipe: string; damage?: string[] };
  readonly context: { [key: string]: unknown };
  readonly records?: { payload?: string; fill?: string; size?: number; [field: string]: unknown }[];
  readonly expect: Answer;
  readonly expect_strict?: Answer;
  readonly accept?: { answer: Answer; answer_strict?: Answer; after?: After; because: string }[];
  readonly table?: unknown[];
  readonly after?: After;
  readonly must_refuse?: true;
  readonly may_refuse?: true;
  readonly limits?: { wall_ms?: number; reply_bytes?: number };
  readonly notes?: string;
  readonly bugs?: string[];
  readonly path: string;
  files(): Map<string, Uint8Array>;
}

export const folder: string;
export const index: { version: string; counts: { vectors: number }; vectors: { id: string }[] };
export function load(id: string): Vector;
export function vectors(format?: string): Generator<Vector>;
export function hasPayload(record: Record, payload: Uint8Array | string): boolean;
