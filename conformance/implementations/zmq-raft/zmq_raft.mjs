// Loads individual modules of zmq-raft, because the package's entry point needs the native zeromq module.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const load = createRequire(path.resolve(process.argv[2], 'package.json'));

// META of a new file holds the date and the host. Both come from the request, so that files can be compared.
const RealDate = Date;
let fixed = null;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 && fixed !== null ? [fixed.created] : given));
  }
};
const hostname = os.hostname;
load('os').hostname = () => (fixed === null ? hostname() : fixed.hostname);

/** Sets the date and host of new files from the context. */
export function fix({ created = '2018-09-26T14:59:36.817Z', hostname = 'walproof' } = {}) {
  fixed = { created, hostname };
}

export const IndexFile = load('zmq-raft/lib/common/indexfile');
export const SnapshotFile = load('zmq-raft/lib/common/snapshotfile');
export const FilePersistence = load('zmq-raft/lib/common/file_persistence');
export const LogEntry = load('zmq-raft/lib/common/log_entry');
export const FileLog = load('zmq-raft/lib/server/filelog');
export const msgpack = load('msgpack-lite');
export const { version } = load('zmq-raft/package.json');

/** Runs `use` with a temporary folder. */
export async function withFolder(use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'walproof-zmq-raft-'));
  try {
    return await use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Waits for started operations that were not awaited: an unhandled rejection ends the process here. */
export async function settle() {
  const busy = () => process.getActiveResourcesInfo().some((kind) => /^FSReq|^CloseReq/.test(kind));
  do await new Promise((resolve) => setImmediate(resolve));
  while (busy());
}

/** Returns the path that IndexFile requires for a first index; IndexFile checks name and folders. */
export function placeOf(folder, index) {
  const place = IndexFile.logPath(folder, index);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  return place;
}

/** Returns the paths in a log directory. A folder with only index files has no snapshot, which FileLog requires. */
export function placesIn(root, { log = 'log', snapshot_file = 'snap' }) {
  const [named, snap] = [path.join(root, log), path.join(root, snapshot_file)];
  const isBare = !fs.existsSync(named) && !fs.existsSync(snap);
  return { logdir: isBare ? root : named, snap, isBare };
}

/** Creates an empty snapshot in another folder. If the log has only index files, it ends before their first index. */
export async function lendSnapshot(folder, { logdir, isBare }) {
  const place = path.join(folder, 'snap');
  const names = isBare ? await FileLog.readIndexFileNames(logdir) : [];
  const before = names.length ? Number.parseInt(path.basename(names[0], '.rlog'), 16) - 1 : 0;
  await (await new SnapshotFile(place, Math.max(before, 0), 0, 0).ready()).close();
  return place;
}

/** Returns the first index of an index file from the context, otherwise from its name; null if neither has one. */
export function toldIndex(file, context) {
  if (context.first_index !== undefined) return Number(context.first_index);
  const name = /^([0-9a-f]{14})\.rlog$/.exec(path.basename(file));
  return name === null ? null : Number.parseInt(name[1], 16);
}

/** Returns the type of a log, by the rules of the chapter. */
export function kindOf(file, context) {
  if (fs.statSync(file, { throwIfNoEntry: false })?.isDirectory()) return 'directory';
  if (context.kind && context.kind !== 'directory') return context.kind;
  const token = fs.existsSync(file) ? fs.readFileSync(file).subarray(0, 4).toString('latin1') : '';
  if (token === 'RLOG' || file.endsWith('.rlog')) return 'index';
  if (token === 'SNAP' || /(^|[/.])snap(\.tmp-\d+-[0-9a-z]+|-\d{4}-\d{2}-\d{2}-\d{6}-\d{3}[0-9a-z]+)?$/.test(file)) return 'snapshot';
  return fs.existsSync(file) || file.endsWith('.pers') ? 'state' : 'directory';
}
