// A Walproof adapter to start from: one file, nothing to install. Fill in read, name it in hello.
//
//   walproof check --smoke --cmd 'node conformance/skeletons/javascript/adapter.mjs'   # speaks the protocol?
//   walproof check --cmd 'node conformance/skeletons/javascript/adapter.mjs'   # all vectors
//
// By hand: node adapter.mjs read leveldb-log FILE [strict]
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const hello = {
  name: 'my-reader',
  version: '0.0.0',
  language: 'JavaScript',
  formats: ['leveldb-log'],
  profiles: ['recover'],
  reports: ['records', 'signals'],
};

// ====> YOUR READER GOES HERE. Return what it released and whatever it said of damage, for example
// { answer: { records: [{ payload: buffer.toString('hex') }], signals: [String(error)] } }
// An exception that your reader throws for damage is a signal: catch it here and keep the records
// before it. What ends the process is a result too: leave it alone. context is what the vector says
// about the log besides the file.
async function read(format, path, profile, context) {
  return { skipped: 'read() is not written yet' };
}

// ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at path, for "append" go on with the one that is there.
// Return { done: true } when all records are in it, or { refused: 'why' } and leave what is there as it was.
// A record has its payload in hex and what else the format needs. Add the profiles 'write' and 'append' to hello.
async function write(cmd, format, path, records, context) {
  return { skipped: 'write() is not written yet' };
}

// ---- The protocol: nothing to fill in from here on. ----

const reply = (message) => process.stdout.write(JSON.stringify(message) + '\n');

// Carries out a request that names a log.
async function answer({ cmd, format, path, profile, records, context }) {
  if (cmd !== 'write' && !existsSync(path)) return { skipped: 'nothing is at this path' };
  if (cmd === 'read') return await read(format, path, profile, context);
  return await write(cmd, format, path, records, context);
}

const [form, format, path, profile = 'recover'] = process.argv.slice(2);
if (form === 'read') {
  const result = await answer({ cmd: 'read', format, path, profile, context: {} });
  reply(result.answer ?? result);
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.cmd === 'bye') break;
    reply(request.cmd === 'hello' ? hello : { seq: request.seq, ...(await answer(request)) });
  }
  process.stdin.destroy(); // or the open pipe would keep the process alive after bye
}
