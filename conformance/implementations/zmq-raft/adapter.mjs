// Walproof's adapter for zmq-raft: drives its IndexFile, SnapshotFile, FilePersistence and FileLog.
//
//   node adapter.mjs BUILD                       serves the protocol
//   node adapter.mjs BUILD read zmq-raft PATH    prints one answer
//   node adapter.mjs BUILD bench PATH REPEAT     reads an index file REPEAT times and prints the seconds
//
// An unhandled rejection ends the process, as it does in Node.js by default, because a crash is not an answer.
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { bench } from './bench.mjs';
import * as reading from './reading.mjs';
import * as writing from './writing.mjs';
import { fix, kindOf, settle, version } from './zmq_raft.mjs';

const hello = {
  name: 'zmq-raft',
  version,
  language: 'JavaScript',
  formats: ['zmq-raft'],
  profiles: ['recover', 'strict', 'write', 'append'],
  reports: ['records', 'at', 'size', 'file', 'index', 'term', 'entry_type', 'request_id', 'update', 'state', 'signals'],
  homepage: 'https://github.com/royaltm/node-zmq-raft',
  issues: 'https://github.com/royaltm/node-zmq-raft/issues',
  acknowledges: true,
};
const writers = {
  index: writing.writeIndex,
  snapshot: writing.writeSnapshot,
  state: writing.writeState,
  directory: writing.writeDirectory,
};
const appenders = {
  index: writing.appendToIndex,
  state: writing.appendToState,
  directory: writing.appendToDirectory,
};

/** Returns a reply. `acknowledged`, if given, sends the number of durable records and waits for the harness. */
async function answer({ cmd, path, context = {}, profile = 'recover', ...more }, acknowledged) {
  if (cmd !== 'write' && !fs.existsSync(path)) return { skipped: 'nothing is at this path' };
  const kind = kindOf(path, context);
  const request = { context, profile, ...more };
  if (cmd === 'read') {
    const { records, signals } = await reading[kind](path, request);
    await settle();
    return { answer: { records, signals } };
  }
  const write = (cmd === 'write' ? writers : appenders)[kind];
  if (acknowledged !== undefined && kind !== 'directory') return { skipped: 'only a log directory acknowledges' };
  if (write === undefined) return { skipped: `zmq-raft does not append to a ${kind}` };
  fix(context);
  try {
    await write(path, request, acknowledged);
    return { done: true };
  } catch (error) {
    if (error instanceof writing.Refused) return { refused: error.message };
    throw error;
  }
}

const reply = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const [, , , form, format, log] = process.argv;
if (form === 'read') {
  const result = format === 'zmq-raft' ? await answer({ cmd: form, path: log }) : { skipped: `no format ${format}` };
  reply(result.answer ?? result);
} else if (form === 'bench') {
  await bench(format, Number(log));
} else {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const acknowledging = (seq) => async (count) => {
    reply({ seq, acknowledged: count });
    await lines.next(); // go-on
  };
  for await (const line of lines) {
    const request = JSON.parse(line);
    const { cmd, seq } = request;
    if (cmd === 'bye') break;
    if (cmd === 'hello') reply(hello);
    else if (request.format !== 'zmq-raft') reply({ seq, skipped: `no format ${request.format}` });
    else reply({ seq, ...(await answer(request, request.acknowledge && acknowledging(seq))) });
  }
}
process.exit(0); // FileLog and FilePersistence leave timers running
