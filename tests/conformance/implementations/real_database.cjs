// Drives a real LevelDB database, by the binding that the npm package classic-level carries.
//
//   node real_database.cjs MODULES FOLDER SCENARIO    writes, says "ready", and waits to be killed
//   node real_database.cjs MODULES FOLDER entries     recovers, prints {"<key hex>": "<sha256 of value>"}
'use strict'

const { createHash } = require('node:crypto')
const [modules, folder, scenario] = process.argv.slice(2)
const { ClassicLevel } = require(`${modules}/classic-level`)

const scenarios = {
  // A database that was opened and not written to: its log is empty.
  async empty () {},

  async small (db) {
    await db.put('alpha', '1')
    await db.put('nothing', '')
    await db.batch([
      { type: 'put', key: 'bravo', value: '2' },
      { type: 'del', key: 'alpha' },
      { type: 'put', key: 'charlie', value: '3'.repeat(40000) }
    ])
    await db.del('nothing')
    await db.put('delta', '4', { sync: true })
  },

  // A value of 5 MB, across some 150 blocks, between two small ones.
  async large (db) {
    await db.put('before', 'b')
    await db.put('large', Buffer.alloc(5_000_000, 'walproof '))
    await db.put('after', 'a')
  },

  // One after the other: LevelDB would put writes that wait together into one record.
  async many (db) {
    for (let i = 0; i < 100_000; i++) await db.put(`key ${i}`, `value ${i * 7919}`)
  },

  // Is killed in the middle of writing.
  async endless (db) {
    for (let i = 0; ; i++) {
      await db.put(`key ${i % 1000}`, 'x'.repeat((i * 7919) % 20_000))
      if (i === 500) console.log('ready')
    }
  },

  async entries (db) {
    const entries = {}
    for await (const [key, value] of db.iterator({ keyEncoding: 'buffer' })) {
      entries[key.toString('hex')] = createHash('sha256').update(value).digest('hex')
    }
    console.log(JSON.stringify(entries))
  }
}

async function main () {
  // A large write buffer: the database would otherwise turn the log into a table and begin another.
  const db = new ClassicLevel(folder, { valueEncoding: 'buffer', writeBufferSize: 256 * 1024 * 1024 })
  await db.open()
  await scenarios[scenario](db)
  if (scenario === 'entries') return db.close()
  console.log('ready')
  setInterval(() => {}, 1000)
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
