const fs = require('fs');
const os = require('os');
const path = require('path');
const FilePersistence = require('zmq-raft/lib/common/file_persistence');

(async () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-')), 'raft.pers');
  let state = await new FilePersistence(file, { currentTerm: 0 }).ready();
  await state.update({ currentTerm: 7 });
  await state.close();
  fs.appendFileSync(file, Buffer.alloc(4096)); // a crash: the size arrived, the data did not
  fs.appendFileSync(file, Buffer.from([1]));
  console.log('expected: term 7');
  try {
    state = await new FilePersistence(file, { currentTerm: 0 }).ready();
    console.log('actual:   term', state[Symbol.for('data')].currentTerm);
  } catch (error) {
    console.log('actual:  ', error.name, 'and no term');
  }
  process.exit(0);
})();
