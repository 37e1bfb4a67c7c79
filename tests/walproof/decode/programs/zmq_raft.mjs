// Writes logs with the classes of zmq-raft, reads them with the same classes, and prints the results.
//
//   node zmq_raft.mjs BUILD FOLDER      BUILD has node_modules; FOLDER gets log.rlog, snap and state.pers
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [, , build, folder] = process.argv;
// A new file contains the date and the host name, so both are fixed.
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length ? given : ['2018-09-26T14:59:36.817Z']));
  }
};
const load = createRequire(path.resolve(build, 'package.json'));
load('os').hostname = () => 'walproof';
const IndexFile = load('zmq-raft/lib/common/indexfile');
const LogEntry = load('zmq-raft/lib/common/log_entry');
const SnapshotFile = load('zmq-raft/lib/common/snapshotfile');
const RaftPersistence = load('zmq-raft/lib/server/raft_persistence');
const { getSeconds } = load('zmq-raft/lib/utils/id');
const msgpack = load('msgpack-lite');

const peers = [['01', 'tcp://127.0.0.1:8047'], ['02', 'tcp://10.0.0.2:8047'], ['ä', 'tcp://[::1]:8047']];
const request = '5bab9f48a1b2c3000f000102';
const entries = [
  LogEntry.build(null, 2, 1, [0xc0]),
  LogEntry.build(request, 0, 1, Buffer.from('hello')),
  LogEntry.build(request, 0, 2, Buffer.from([0, 255, 27])),
  LogEntry.build(request, 1, 3, msgpack.encode(peers)),
  LogEntry.build(request, 1, 2 ** 40, msgpack.encode({ old: peers.slice(0, 2), new: peers })),
];

const log = await new IndexFile(folder, 1, 8).ready();
for (const entry of entries) await log.write(entry);
const told = [];
for (let index = log.firstAllowedIndex; index < log.nextIndex; ++index) {
  const entry = LogEntry.bufferToLogEntry(await log.read(index, 1), index);
  const data = entry.readEntryData();
  const id = entry.readRequestKey('hex');
  told.push({
    index,
    term: entry.readEntryTerm(),
    type: entry.isStateEntry ? 'state' : entry.isConfigEntry ? 'config' : entry.isCheckpointEntry ? 'checkpoint' : null,
    requested: /^0+$/.test(id) ? null : getSeconds(id) * 1000,
    data: data.toString('hex'),
    config: entry.isConfigEntry ? msgpack.decode(data) : null,
  });
}
await log.close();
fs.renameSync(log.filename, path.join(folder, 'log.rlog'));

const snapshot = await new SnapshotFile(path.join(folder, 'snap'), 42, 100, 9).ready();
await snapshot.write(Buffer.from('the state'), 0, 9);
await snapshot.sync();
await snapshot.close();
const again = await new SnapshotFile(path.join(folder, 'snap')).ready();
const kept = { index: again.logIndex, term: again.logTerm, data: (await again.read(0, again.dataSize)).toString('hex') };
await again.close();

const state = new RaftPersistence(path.join(folder, 'state.pers'), peers.slice(0, 2));
await state.ready();
await state.update({ currentTerm: 3, votedFor: '02' });
await state.update({ peers: { old: peers.slice(0, 2), new: peers }, peersIndex: 5 });
await state.close();
console.log(JSON.stringify({ entries: told, snapshot: kept, peers }, null, 1));
process.exit(0);
