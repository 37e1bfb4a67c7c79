// Measures the reader: IndexFile opens the file and readv() returns every entry.
import fs from 'node:fs';
import path from 'node:path';
import { IndexFile, LogEntry, placeOf, withFolder } from './zmq_raft.mjs';

const AT_ONCE = 1 << 20; // bytes of one readv()

/** bench LOG REPEAT: LOG is a sound index file. Prints one JSON object. */
export async function bench(file, repeat) {
  const seconds = [];
  let records;
  let bytes;
  await withFolder(async (folder) => {
    const place = placeOf(folder, Number(fs.readFileSync(file).subarray(16, 24).readBigUInt64LE()));
    fs.symlinkSync(path.resolve(file), place);
    for (let pass = 0; pass < repeat; ++pass) {
      const started = process.hrtime.bigint();
      records = bytes = 0;
      const log = await new IndexFile(place).ready();
      for (let next = log.firstAllowedIndex; next < log.nextIndex;) {
        const count = Math.max(1, log.countEntriesFitSize(next, log.nextIndex - next, AT_ONCE));
        for (const entry of await log.readv(next, count)) {
          records += 1;
          bytes += entry.length - LogEntry.LOG_ENTRY_HEADER_SIZE;
        }
        next += count;
      }
      seconds.push(Number(process.hrtime.bigint() - started) / 1e9);
      await log.close();
    }
  });
  console.log(JSON.stringify({
    records, payload_bytes: bytes, seconds: Math.min(...seconds), all_seconds: seconds,
  }));
}
