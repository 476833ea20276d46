import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '#infra/store/embedded';
import { migrate } from '#infra/store/migrate';
import type { Store } from '#infra/store/store';
import { TABLES } from '#schemas/tables/index';
import { sampleRecords } from '#schemas/tables/sample-records.fixture';
import { TOPICS } from '#schemas/topics/catalog';
import { tradeTopics } from '#schemas/topics/normalised';
import { runSinkOnce } from './run-sink-once.ts';
import { FakeStore, openSurroundings, type Surroundings, until } from './sink.fixture.ts';
import { startSink } from './start-sink.ts';

let around: Surroundings;
beforeEach(async () => {
  around = await openSurroundings();
});
afterEach(() => around.dispose());
const ids = (count: number, prefix = 't') =>
  Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, instrument: `i${at % 5}`, arrival: at }));
const idsIn = (store: FakeStore) => new Set(store.rows().map((row) => row.id));

describe('runSinkOnce', () => {
  it('inserts everything there is, tells how far it is, and stops', async () => {
    await around.appendTrades(ids(95));
    const progress: number[] = [];
    expect(await runSinkOnce({ ...around, batchRows: 10, onProgress: (records) => progress.push(records) })).toBe(95);
    expect(idsIn(around.store).size).toBe(95);
    expect(progress.at(-1)).toBe(95);
    expect(progress.length).toBeGreaterThan(8);
  });

  it('does nothing for empty topics', async () => {
    expect(await runSinkOnce(around)).toBe(0);
    expect(around.store.calls).toBe(0);
  });

  it('begins at the first record each time, and a sink started after goes on behind the last', async () => {
    await around.appendTrades(ids(10));
    await runSinkOnce(around);
    const again = new FakeStore();
    await runSinkOnce({ ...around, store: again });
    expect(idsIn(again).size).toBe(10);
    const live = new FakeStore();
    const sink = await startSink({ ...around, store: live, batchMs: 5 });
    await around.appendTrades(ids(3, 'new'));
    await until(() => idsIn(live).size === 3, 'the new rows');
    await sink.close();
    expect([...idsIn(live)].every((id) => String(id).startsWith('new'))).toBe(true);
  });

  it('leaves a sink right after a topic that was begun anew and is shorter than before', async () => {
    await around.appendTrades(ids(50));
    const before = await startSink({ ...around, store: new FakeStore(), batchMs: 5 });
    await before.close();
    await around.log.clearTopic(tradeTopics.venue_b.name);
    around.restartNumbers();
    await around.appendTrades(ids(5, 'rebuilt'));
    await runSinkOnce(around);
    const live = new FakeStore();
    const sink = await startSink({ ...around, store: live, batchMs: 5 });
    await around.appendTrades(ids(7, 'new'));
    await until(() => idsIn(live).size === 7, 'the new rows');
    await sink.close();
  });

  it('passes the error on of a store that stays away', async () => {
    around.store.failure = 'store_closed';
    await around.appendTrades(ids(1));
    await expect(runSinkOnce(around)).rejects.toMatchObject({ code: 'store_closed' });
  });
});

describe('with a real store', () => {
  let path: string;
  let store: Store;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'parallax-sink-store-'));
    store = await openEmbeddedStore({ path });
    await migrate(store);
  });
  afterEach(async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });
  const tables = async (database: string) => {
    const found: Record<string, unknown[]> = {};
    for (const { name } of TABLES)
      found[name] = await store.query(`SELECT * FROM ${database}.${name} FINAL ORDER BY ALL`);
    return found;
  };

  it('every table is filled, and a second pass into another database gives the same rows', async () => {
    for (const { meta, value } of Object.values(sampleRecords)) {
      await around.append(TOPICS.find(({ name }) => name === meta.topic)!, [[meta.key, value]]);
    }
    await around.appendTrades(ids(50));
    await runSinkOnce({ ...around, store });
    const first = await tables(store.database);
    for (const { name } of TABLES) expect(first[name], name).toHaveLength(name === 'trades' ? 51 : 1);
    const other = await store.inDatabase('second');
    await migrate(other);
    await runSinkOnce({ ...around, store: other, batchRows: 7 });
    expect(await tables('second')).toEqual(first);
    await runSinkOnce({ ...around, store });
    expect(await tables(store.database)).toEqual(first);
  });
});
