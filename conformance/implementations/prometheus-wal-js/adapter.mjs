// Serves the Walproof protocol for the reader and writer of prometheus-wal.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { readLog } from './reader.mjs';
import { appendToLog, Refused, writeLog } from './writer.mjs';

const hello = {
  name: 'prometheus-wal-js',
  version: JSON.parse(readFileSync(new URL('package.json', import.meta.url))).version,
  language: 'JavaScript',
  formats: ['prometheus-wal'],
  profiles: ['recover', 'strict', 'write', 'append'],
  reports: ['records', 'at', 'size', 'file', 'compression', 'verdict', 'reason', 'lost', 'end'],
};

function toAnswer(log) {
  const records = log.records.map(({ payload, ...fields }) =>
    payload.length > 4096
      ? { ...fields, payload_sha256: createHash('sha256').update(payload).digest('hex') }
      : { ...fields, payload: payload.toString('hex') });
  return { ...log, records };
}

function answer({ cmd, path, format, profile, context = {}, records = [] }) {
  if (format !== 'prometheus-wal') return { skipped: `no format ${format}` };
  if (cmd !== 'write' && !existsSync(path)) return { skipped: 'nothing is at this path' };
  if (cmd === 'read') return { answer: toAnswer(readLog(path, context, profile === 'strict')) };
  const payloads = records.map((record) => Buffer.from(record.payload, 'hex'));
  try {
    (cmd === 'write' ? writeLog : appendToLog)(path, payloads, context);
    return { done: true };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

const reply = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const [form, format, path, profile = process.env.WALPROOF_PROFILE] = process.argv.slice(2);
if (form === 'read') {
  const result = answer({ cmd: form, format, path, profile, context: JSON.parse(process.env.WALPROOF_CONTEXT ?? '{}') });
  reply(result.answer ?? result);
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.cmd === 'bye') break;
    reply(request.cmd === 'hello' ? hello : { seq: request.seq, ...answer(request) });
  }
  process.stdin.destroy(); // the open pipe would keep the process alive after bye
}
