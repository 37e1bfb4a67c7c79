import type { WorkerOptions } from "node:worker_threads";
import type { End, Vector } from "./index.js";

export interface Request {
  format: string;
  /** A scratch copy of a log; of a write, a path where nothing is. */
  path: string;
  profile: "recover" | "strict" | "write" | "append";
  context: { [key: string]: unknown };
  /** Those to write or append. */
  records: { payload: Uint8Array; [field: string]: unknown }[];
}

/** What `read` gives; parts that are not in `reports` may be missing. */
export interface ReadAnswer {
  records: { payload: Uint8Array; [field: string]: unknown }[];
  signals?: string[];
  verdict?: string;
  reason?: string | null;
  lost?: { file?: string; from: number; to: number; reason?: string }[];
  end?: End;
}

export interface Options {
  /** The parts of an answer that `read` gives; records and signals if it is not said. */
  reports?: string[];
  /** Those that are asked of recover, strict, write and append; recover if it is not said. */
  profiles?: string[];
  /** A file of known failures. */
  known?: string | URL;
  choose?: (vector: Vector) => boolean;
  /** How many times its time limit a request may take: 5. */
  patience?: number;
  /** A file for a line of JSON a result; else WALPROOF_RESULTS names one. */
  results?: string | URL;
  /** Of the worker that the module runs in, such as argv or resourceLimits. */
  worker?: WorkerOptions;
}

export function run(format: string, module: string | URL, options?: Options): void;

/** Declines a request, saying why. */
export class Skip extends Error {}
/** Of a writer: it does not take these records, or this log. */
export class Refused extends Error {}
