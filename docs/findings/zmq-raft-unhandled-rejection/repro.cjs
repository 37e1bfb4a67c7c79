const fs = require('fs');
const os = require('os');
const path = require('path');
const IndexFile = require('zmq-raft/lib/common/indexfile');

const LOG =
  '524c4f472c0000000100000007000000010000000000000019000000010000004d0000000000000000000000' +
  '00000000000000004d4554413200000082a763726561746564b8323031382d30392d32365431343a35393a33' +
  '362e3831375aa8686f73746e616d65a6676f6c64656e000049544d58000000005bab9dc8aabbcc1234000001' +
  '0001000000000000616c7068615bab9dc8aabbcc12340000010001000000000000627261766f5bab9dc8aabb' +
  'cc12340000010002000000000000636861726c6965';
const file = IndexFile.logPath(fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-')), 1);
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(file, Buffer.from(LOG, 'hex'));

let caught = 'nothing was caught';
process.on('unhandledRejection', (error) => {
  console.log('expected: ready() rejects, and the caller decides');
  console.log('actual:   an unhandled rejection besides:', error.message);
  process.exit(0);
});
new IndexFile(file).ready().catch((error) => { caught = error.message; });
setTimeout(() => {
  console.log('expected: ready() rejects, and the caller decides');
  console.log('actual:   ready() rejects, and the caller decides');
  process.exit(0);
}, 2000);
