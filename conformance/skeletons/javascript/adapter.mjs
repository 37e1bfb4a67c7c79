// A template for a Walproof adapter: one file, nothing to install. Fill in read and hello.
//
//   walproof check --smoke --cmd 'node adapter.mjs'   # checks the protocol
//   walproof check --cmd 'node adapter.mjs'   # all vectors
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

// ====> YOUR READER GOES HERE. Return the reader's records and its messages about damage, for example
// { answer: { records: [{ payload: buffer.toString('hex') }], signals: [String(error)] } }
// If your reader throws an exception for damage, catch it here, return its message as a signal, and return the records
// before the damage, too. Do not prevent a crash of the process: a crash is a result too. context has information about
// the log that is not in the file.
async function read(format, path, profile, context) {
  return { skipped: 'read() is not written yet' };
}

// ====> YOUR WRITER GOES HERE. For cmd "write", create a log at path; for "append", append to the log at path.
// Return { done: true } if the log contains all records; otherwise change nothing and return { refused: 'why' }. A
// record has its payload in hexadecimal and the other fields of the format. Add the profiles 'write' and 'append' to
// hello.
async function write(cmd, format, path, records, context) {
  return { skipped: 'write() is not written yet' };
}

// ---- The protocol. Do not change anything below. ----

const reply = (message) => process.stdout.write(JSON.stringify(message) + '\n');

// Performs a read, write or append request.
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
  process.stdin.destroy(); // the open pipe would keep the process alive after bye
}
