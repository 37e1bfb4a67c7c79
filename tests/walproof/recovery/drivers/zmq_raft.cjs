// Opens the folders of zmq-raft nodes with zmq-raft's own classes. Each line of standard input is a request:
// "open" starts as a node does, with raft.pers; "log" opens the log and its snapshot alone.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const { createRequire } = require('module');

const load = createRequire(path.resolve(process.argv[2], 'package.json'));
const FileLog = load('zmq-raft/lib/server/filelog');
const RaftPersistence = load('zmq-raft/lib/server/raft_persistence');
const LogEntry = load('zmq-raft/lib/common/log_entry');
const SnapshotFile = load('zmq-raft/lib/common/snapshotfile');

const PEERS = [['n1', 'tcp://127.0.0.1:8047']];
const SNAPSHOT_INDEX = 10;
const LAST_INDEX = 60;
const options = { indexFileCapacity: 16 };

const openLog = (folder) => new FileLog(path.join(folder, 'log'), path.join(folder, 'snap'), options).ready();
const openState = (folder) => new RaftPersistence(path.join(folder, 'raft.pers'), PEERS).ready();
const requestOf = (index) => Buffer.alloc(12, index);

async function write(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const state = await openState(folder);
  await state.update({ currentTerm: 3, votedFor: 'n1' });
  await state.close();
  const data = Buffer.from('the state of the machine\n'.repeat(20));
  const snapshot = await new SnapshotFile(path.join(folder, 'snap'), SNAPSHOT_INDEX, 2, data.length).ready();
  await snapshot.write(data, 0, data.length, 0);
  await snapshot.sync();
  await snapshot.close();
  const log = await openLog(folder);
  for (let index = SNAPSHOT_INDEX + 1; index <= LAST_INDEX; ++index) {
    await log.appendState(requestOf(index), 3, Buffer.from(`entry ${index} ${'x'.repeat(60)}`));
  }
  await log.close();
  return {};
}

async function read(folder, isNode) {
  const items = {};
  if (isNode) {
    const state = await openState(folder);
    items.currentTerm = String(state.currentTerm);
    items.votedFor = String(state.votedFor);
    items.peers = JSON.stringify(state.peers);
    await state.close();
  }
  const log = await openLog(folder);
  try {
    for (let index = log.firstIndex; index <= log.lastIndex; ++index) {
      try {
        const entry = LogEntry.bufferToLogEntry(await log.getEntry(index), index);
        items[`entry ${index}`] = `${entry.readEntryTerm()} ${entry.readEntryData().toString('latin1')}`;
      } catch (error) {
        continue;
      }
    }
    const snapshot = log.snapshot;
    if (snapshot && snapshot.dataSize) {
      const buffer = Buffer.alloc(snapshot.dataSize);
      await snapshot.read(0, buffer.length, buffer, 0);
      items.snapshot = `${snapshot.logIndex} ${snapshot.logTerm} ${buffer.toString('latin1')}`;
    }
  } finally {
    await log.close();
  }
  return items;
}

async function main() {
  process.on('uncaughtException', () => process.exit(2));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { action, folder } = JSON.parse(line);
    let answer;
    try {
      answer = { items: action === 'write' ? await write(folder) : await read(folder, action === 'open') };
    } catch (error) {
      answer = { refused: String(error) };
    }
    fs.writeSync(1, `${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}

main();
