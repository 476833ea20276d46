/** Inserts two rows into `t` of a new data directory and prints the rows of the table. */
import { openEmbeddedStore } from '../store/embedded.ts';

const [path] = process.argv.slice(3);
if (!path) throw new Error('usage: insert-once.ts <data directory>');
const store = await openEmbeddedStore({ path });
await store.command('CREATE TABLE t (id UInt32) ENGINE = MergeTree ORDER BY id');
await store.insert('t', [{ id: 1 }, { id: 2 }]);
process.stdout.write(`${JSON.stringify(await store.query('SELECT id FROM t ORDER BY id'))}\n`);
await store.close();
process.exit(0);
