const fs = require('fs');
const os = require('os');
const path = require('path');
const FileLog = require('zmq-raft/lib/server/filelog');
const IndexFile = require('zmq-raft/lib/common/indexfile');

const request = Buffer.alloc(12, 1);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-'));
const open = () => new FileLog(path.join(folder, 'log'), path.join(folder, 'snap'), { indexFileCapacity: 4 }).ready();

(async () => {
  fs.mkdirSync(path.join(folder, 'log'));
  let log = await open();
  for (const text of ['alpha', 'bravo', 'charlie']) await log.appendEntry(request, 0, 1, Buffer.from(text));
  const next = IndexFile.logPath(path.join(folder, 'log'), log.lastIndex + 1);
  await log.close();
  // The process was killed when it had begun the next file: the name is there, the header is not.
  fs.writeFileSync(next, '');
  console.log('expected: the log is opened, with 3 entries');
  try {
    log = await open();
    console.log(`actual:   the log is opened, with ${log.lastIndex} entries`);
  } catch (error) {
    console.log(`actual:   the log is not opened: ${error.message}`);
  }
  process.exit(0);
})();
