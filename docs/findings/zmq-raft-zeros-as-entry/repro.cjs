const fs = require('fs');
const os = require('os');
const path = require('path');
const IndexFile = require('zmq-raft/lib/common/indexfile');
const LogEntry = require('zmq-raft/lib/common/log_entry');

const LOG =
  '524c4f472c0000000100000007000000010000000000000019000000320000004b000000640000007d000000' +
  '00000000000000004d4554413200000082a763726561746564b8323031382d30392d32365431343a35393a33' +
  '362e3831375aa8686f73746e616d65a6676f6c64656e000049544d5a000000005bab9dc8aabbcc1234000001' +
  '0001000000000000616c7068615bab9dc8aabbcc12340000010001000000000000627261766f5bab9dc8aabb' +
  'cc1234000001000100000000000063616e64795bab9dc8aabbcc1234000001000100000000000064656c7461' +
  '00000000000000000000000000000000000000000000000000';
const name = IndexFile.logPath(fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-')), 1);
fs.mkdirSync(path.dirname(name), { recursive: true });
fs.writeFileSync(name, Buffer.from(LOG, 'hex'));

(async () => {
  const file = await new IndexFile(name).ready();
  const terms = [];
  for (let n = 1; n < file.nextIndex; ++n) {
    terms.push(LogEntry.bufferToLogEntry(await file.read(n, 1), n).readEntryTerm());
  }
  console.log('expected: 4 entries');
  console.log(`actual:   ${terms.length} entries, of terms ${terms}`);
  process.exit(0);
})();
