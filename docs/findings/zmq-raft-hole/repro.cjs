const fs = require('fs');
const os = require('os');
const path = require('path');
const IndexFile = require('zmq-raft/lib/common/indexfile');
const LogEntry = require('zmq-raft/lib/common/log_entry');

const entry = (text) => LogEntry.build(Buffer.alloc(12, 1), 0, 1, Buffer.from(text));

(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-'));
  let file = await new IndexFile(folder, 1).ready();
  for (const text of ['alpha', 'bravo', 'eager']) await file.write(entry(text));
  const { filename } = file;
  await file.close();
  fs.truncateSync(filename, fs.statSync(filename).size - 1); // a crash: the last byte did not arrive
  file = await new IndexFile(filename).ready();
  await file.write(entry('delta'));
  const found = [];
  for (let n = 1; n < file.nextIndex; ++n) {
    found.push(LogEntry.bufferToLogEntry(await file.read(n, 1), n).readEntryData().toString('latin1'));
  }
  console.log('expected: ["alpha","bravo","delta"]');
  console.log('actual:  ', JSON.stringify(found));
  process.exit(0);
})();
