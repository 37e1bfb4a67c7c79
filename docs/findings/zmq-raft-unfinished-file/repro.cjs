const fs = require('fs');
const os = require('os');
const path = require('path');
const FileLog = require('zmq-raft/lib/server/filelog');
const IndexFile = require('zmq-raft/lib/common/indexfile');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-'));
const logFolder = path.join(folder, 'log');
const open = () => new FileLog(logFolder, path.join(folder, 'snap'), { indexFileCapacity: 4 }).ready();

(async () => {
  let log = await open();
  for (const text of ['alpha', 'bravo', 'charlie']) {
    await log.appendEntry(Buffer.alloc(12, 1), 0, 1, Buffer.from(text));
  }
  const next = IndexFile.logPath(logFolder, log.lastIndex + 1);
  await log.close();

  // The process was killed after it created the next file and before it wrote the header.
  fs.writeFileSync(next, '');

  try {
    log = await open();
    console.log('opened, last index', log.lastIndex);
    process.exit(0);
  } catch (error) {
    console.log('not opened:', error.message);
    fs.unlinkSync(next);
    log = await open();
    console.log('without the empty file: opened, last index', log.lastIndex);
    process.exit(1);
  }
})();
