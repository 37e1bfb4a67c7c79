// The log of a raft node: BUILD MODE FOLDER LOG puts the files of LOG into FOLDER and opens them there.
// ../opener/opener.py describes the output.
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');

const [, , build, mode, folder, log] = process.argv;
const load = createRequire(path.resolve(build, 'package.json'));
const FileLog = load('zmq-raft/lib/server/filelog');
const LogEntry = load('zmq-raft/lib/common/log_entry');

const REQUEST = Buffer.alloc(12, 7);
const CAPACITY = 4;

const say = (line) => fs.writeSync(1, `${JSON.stringify(line)}\n`);
const hex = (text) => Buffer.from(text).toString('hex');

function open() {
  const options = { readOnly: mode === 'read-only', indexFileCapacity: CAPACITY };
  return new FileLog(path.join(folder, 'log'), path.join(folder, 'snap'), options).ready();
}

/** Prints the entries as the state machine would receive them, and an error in place of an unreadable entry. */
async function print(opened, kind) {
  for (let index = opened.firstIndex; index <= opened.lastIndex; ++index) {
    try {
      const entry = LogEntry.bufferToLogEntry(await opened.getEntry(index), index);
      say({ [kind]: [hex(String(index)), hex(`${entry.readEntryTerm()} `) + entry.readEntryData().toString('hex')] });
    } catch (error) {
      say({ said: `entry ${index}: ${error.message}` });
    }
  }
}

async function main() {
  fs.cpSync(log, folder, { recursive: true });
  let opened = await open();
  await print(opened, 'item');
  if (mode !== 'read-only') {
    await opened.appendEntry(REQUEST, 0, 9, Buffer.from('written after the damage'));
    await opened.close();
    say({ again: true });
    opened = await open();
    await print(opened, 'later');
  }
  await opened.close();
}

main()
  .catch((error) => say({ refused: error.message }))
  .finally(() => process.exit(0)); // FileLog leaves timers running
