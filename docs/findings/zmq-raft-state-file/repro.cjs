const fs = require('fs');
const os = require('os');
const path = require('path');
const FilePersistence = require('zmq-raft/lib/common/file_persistence');

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'zmq-raft-')), 'raft.pers');
const open = () => new FilePersistence(file, { currentTerm: 0 }).ready();

process.on('uncaughtException', (error) => {
  console.log('uncaught exception:', error.message);
  process.exit(1);
});

(async () => {
  const state = await open();
  await state.update({ currentTerm: 7 });
  await state.close();

  const bytes = fs.readFileSync(file);
  bytes[0] ^= 0x40; // one bit: 0x81, a map, becomes 0xc1, which MessagePack does not use
  fs.writeFileSync(file, bytes);

  try {
    await open();
    console.log('opened');
  } catch (error) {
    console.log('rejected:', error.message);
  }
  process.exit(0);
})();
