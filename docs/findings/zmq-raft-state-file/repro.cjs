const fs = require('fs');
const os = require('os');
const path = require('path');
const FilePersistence = require('zmq-raft/lib/common/file_persistence');

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-')), 'raft.pers');
const said = (text) => {
  console.log('expected: ready() rejects, and the caller decides');
  console.log('actual:  ', text);
  process.exit(0);
};
process.on('uncaughtException', (error) => said(`uncaught exception: ${error.message}`));

// {currentTerm: 7}, and then the byte c1, which MessagePack does not use
fs.writeFileSync(file, Buffer.from('81ab63757272656e745465726d07' + '81c1', 'hex'));
new FilePersistence(file, { currentTerm: 0 }).ready().then(
  (opened) => said('opened'),
  (error) => said('ready() rejects, and the caller decides'),
);
