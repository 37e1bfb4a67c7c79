// Serves the Walproof protocol for the reader and writer of prometheus-wal.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { readLog } from './reader.mjs';
import { appendToLog, Refused, writeLog } from './writer.mjs';

const hello = {
  name: 'prometheus-wal-js',
  version: '1.0.0',
  language: 'JavaScript',
  formats: ['prometheus-wal'],
  profiles: ['recover', 'strict', 'write', 'append'],
  reports: ['records', 'at', 'size', 'file', 'compression', 'verdict', 'reason', 'lost', 'end'],
};

const toRecord = ({ payload, ...fields }) =>
  payload.length > 4096
    ? { ...fields, payload_sha256: createHash('sha256').update(payload).digest('hex') }
    : { ...fields, payload: payload.toString('hex') };

function answer({ cmd, path, format, profile, context = {}, records = [] }) {
  if (format !== 'prometheus-wal') return { skipped: `no format ${format}` };
  if (cmd !== 'write' && !existsSync(path)) return { skipped: 'nothing is at this path' };
  if (cmd === 'read') {
    const log = readLog(path, context, profile === 'strict');
    return { answer: { ...log, records: log.records.map(toRecord) } };
  }
  const payloads = records.map(({ payload }) => Buffer.from(payload, 'hex'));
  try {
    (cmd === 'write' ? writeLog : appendToLog)(path, payloads, context);
    return { done: true };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

const reply = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.cmd === 'bye') break;
  reply(request.cmd === 'hello' ? hello : { seq: request.seq, ...answer(request) });
}
process.stdin.destroy(); // the open pipe would keep the process alive after bye
