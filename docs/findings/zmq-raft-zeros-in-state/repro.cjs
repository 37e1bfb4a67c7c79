const fs = require('fs');
const os = require('os');
const path = require('path');
const FilePersistence = require('zmq-raft/lib/common/file_persistence');

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-')), 'raft.pers');
const open = () => new FilePersistence(file, { currentTerm: 0 }).ready();

(async () => {
  const state = await open();
  await state.update({ currentTerm: 7 });
  await state.close();

  fs.appendFileSync(file, Buffer.alloc(16)); // a power failure: the file grew, the data is missing

  try {
    await open();
    console.log('opened');
    process.exit(0);
  } catch (error) {
    console.log(`not opened: ${error.name}: ${error.message}`);
    process.exit(1);
  }
})();
