/**
 * Inserts batches of 100 rows into `t` of a data directory and prints the number of each acknowledged batch, until
 * killed.
 */
import { openEmbeddedStore } from '../store/embedded.ts';

const [path] = process.argv.slice(3);
if (!path) throw new Error('usage: insert-forever.ts <data directory>');
const store = await openEmbeddedStore({ path });
await store.command('CREATE TABLE t (batch UInt32, id UInt32) ENGINE = MergeTree ORDER BY (batch, id)');
for (let batch = 1; ; batch += 1) {
  await store.insert(
    't',
    Array.from({ length: 100 }, (_, id) => ({ batch, id })),
  );
  process.stdout.write(`${batch}\n`);
}
