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
import { type Environment, FakeStore, openEnvironment, until } from './sink.fixture.ts';
import { startSink } from './start-sink.ts';

let environment: Environment;
beforeEach(async () => {
  environment = await openEnvironment();
});
afterEach(() => environment.dispose());
const ids = (count: number, prefix = 't') =>
  Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, instrument: `i${at % 5}`, arrival: at }));
const idsIn = (store: FakeStore) => new Set(store.rows().map((row) => row.id));

describe('runSinkOnce', () => {
  it('inserts all records, reports its progress, and stops', async () => {
    await environment.appendTrades(ids(95));
    const progress: number[] = [];
    expect(await runSinkOnce({ ...environment, batchRows: 10, onProgress: (records) => progress.push(records) })).toBe(
      95,
    );
    expect(idsIn(environment.store).size).toBe(95);
    expect(progress.at(-1)).toBe(95);
    expect(progress.length).toBeGreaterThan(8);
  });

  it('does nothing for empty topics', async () => {
    expect(await runSinkOnce(environment)).toBe(0);
    expect(environment.store.calls).toBe(0);
  });

  it('starts at the first record each time, and a later sink continues after the last', async () => {
    await environment.appendTrades(ids(10));
    await runSinkOnce(environment);
    const again = new FakeStore();
    await runSinkOnce({ ...environment, store: again });
    expect(idsIn(again).size).toBe(10);
    const live = new FakeStore();
    const sink = await startSink({ ...environment, store: live, batchMs: 5 });
    await environment.appendTrades(ids(3, 'new'));
    await until(() => idsIn(live).size === 3, 'the new rows');
    await sink.close();
    expect([...idsIn(live)].every((id) => String(id).startsWith('new'))).toBe(true);
  });

  it('commits valid offsets for a rebuilt topic that is shorter than before', async () => {
    await environment.appendTrades(ids(50));
    const before = await startSink({ ...environment, store: new FakeStore(), batchMs: 5 });
    await before.close();
    await environment.log.clearTopic(tradeTopics.venue_b.name);
    environment.restartNumbers();
    await environment.appendTrades(ids(5, 'rebuilt'));
    await runSinkOnce(environment);
    const live = new FakeStore();
    const sink = await startSink({ ...environment, store: live, batchMs: 5 });
    await environment.appendTrades(ids(7, 'new'));
    await until(() => idsIn(live).size === 7, 'the new rows');
    await sink.close();
  });

  it('throws the error of a store that does not come back', async () => {
    environment.store.failure = 'store_closed';
    await environment.appendTrades(ids(1));
    await expect(runSinkOnce(environment)).rejects.toMatchObject({ code: 'store_closed' });
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

  it('fills every table, and a second run into another database gives the same rows', async () => {
    for (const { meta, value } of Object.values(sampleRecords)) {
      await environment.append(TOPICS.find(({ name }) => name === meta.topic)!, [[meta.key, value]]);
    }
    await environment.appendTrades(ids(50));
    await runSinkOnce({ ...environment, store });
    const first = await tables(store.database);
    for (const { name } of TABLES) expect(first[name], name).toHaveLength(name === 'trades' ? 51 : 1);
    const other = await store.inDatabase('second');
    await migrate(other);
    await runSinkOnce({ ...environment, store: other, batchRows: 7 });
    expect(await tables('second')).toEqual(first);
    await runSinkOnce({ ...environment, store });
    expect(await tables(store.database)).toEqual(first);
  });
});
