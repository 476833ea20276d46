import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Codec, CodecError } from '#infra/codec/codec';
import { RegistryError } from '#infra/codec/confluent-registry';
import type { EventLog } from '#infra/log/log';
import { RECORD_BYTES_MAX } from '#infra/log/record-size';
import type { Running } from '#infra/runtime/context';
import { migrate } from '#infra/store/migrate';
import { openServerStore, parseServerUrl } from '#infra/store/server';
import { startClickhouseHttpServer } from '#infra/testing/clickhouse-http-server';
import { sampleRecords, sampleTrade } from '#schemas/tables/sample-records.fixture';
import { aCandle, aCandleRange } from '#schemas/testing/records.fixture';
import { venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Market, marketTopics, tradeTopics } from '#schemas/topics/normalised';
import { type Environment, FakeStore, openEnvironment, until } from './sink.fixture.ts';
import { batchWaitMs, type SinkOptions, startSink } from './start-sink.ts';

let environment: Environment;
const running: Running[] = [];
beforeEach(async () => {
  environment = await openEnvironment();
});
afterEach(async () => {
  for (const sink of running.splice(0)) await sink.close();
  await environment.dispose();
});

/** Starts a sink that is closed after the test. */
async function start(options: Partial<SinkOptions> = {}): Promise<Running> {
  const sink = await startSink({ ...environment, batchMs: 5, ...options });
  running.push(sink);
  return sink;
}
const ids = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `t${at}`, arrival: at }));
const idsIn = (store: FakeStore) => new Set(store.rows().map((row) => row.id));

it('waits longer for a batch after one that took long to write, and at most a second', () => {
  expect([10, 62.5, 100, 5_000].map((writingMs) => batchWaitMs(writingMs, 250))).toEqual([250, 250, 400, 1_000]);
  expect(batchWaitMs(5, 2_000)).toBe(2_000);
});

describe('batches', () => {
  it('have at most `batchRows` rows', async () => {
    await environment.appendTrades(ids(25));
    await start({ batchRows: 10, batchMs: 60_000 });
    await until(() => environment.store.rows().length >= 20, 'two complete batches');
    expect(environment.store.inserts.map((insert) => insert.rows.length)).toEqual([10, 10]);
  });

  it('are written when `batchMs` has passed, however small', async () => {
    await start({ batchRows: 1_000, batchMs: 5 });
    await environment.appendTrades(ids(3));
    await until(() => idsIn(environment.store).size === 3, 'three rows');
  });

  it('are written on closing, and their records are not read again', async () => {
    const polled = countPolled(environment.log);
    const sink = await start({ log: polled.log, batchMs: 60_000 });
    await environment.appendTrades(ids(3));
    await until(() => polled.count() === 3, 'three records read');
    expect(environment.store.calls).toBe(0);
    await sink.close();
    expect(environment.store.rows()).toHaveLength(3);
    const again = new FakeStore();
    await start({ store: again });
    await environment.appendTrades([{ id: 'later', arrival: 9 }]);
    await until(() => again.rows().length > 0, 'the later row');
    expect(idsIn(again)).toEqual(new Set(['later']));
  });

  it('have only the newest version of a row', async () => {
    await environment.appendTrades([{ status: 'pending' }, { id: 'other' }, { status: 'confirmed' }]);
    await start();
    await until(() => environment.store.rows().length >= 2, 'both rows');
    expect(environment.store.rows().map(({ id, status, version }) => [id, status, version])).toEqual([
      [sampleTrade.id, 'confirmed', 3],
      ['other', sampleTrade.status, 2],
    ]);
  });

  it('are at most two in memory while the store does not answer', async () => {
    let open!: () => void;
    environment.store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const polled = countPolled(environment.log);
    await environment.appendTrades(ids(100));
    // Limited by rows only: a batch that is due by time may have fewer rows on a busy machine.
    await start({ log: polled.log, batchRows: 10, batchMs: 60_000 });
    await until(() => polled.count() === 20, 'two batches read');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(polled.count()).toBe(20);
    open();
    await until(() => idsIn(environment.store).size === 100, 'all rows');
  });

  it('go to the table of their topic, with a row for each tombstone', async () => {
    const market = sampleRecords.markets!.value as Market;
    await environment.append(marketTopics.venue_b, [
      ['0xa', { ...market, marketId: '0xa' }],
      ['0xb', { ...market, marketId: '0xb' }],
      ['0xa', null],
    ]);
    await start();
    await until(() => environment.store.rows('markets').length >= 2, 'both markets');
    expect(environment.store.rows('markets').map(({ marketId, removed }) => [marketId, removed])).toEqual([
      ['0xa', 1],
      ['0xb', 0],
    ]);
  });

  it('leave the row of an event unchanged when processors archive it', async () => {
    const { value } = sampleRecords.events!;
    const event = { ...(value as UniversalEvent), universalId: 'evt_1' };
    await environment.append(eventTopic, [
      ['evt_1', event],
      ['evt_1', null],
      ['evt_2', { ...event, universalId: 'evt_2' }],
      ['evt_2', null],
    ]);
    await start();
    await until(() => environment.store.rows('events').length >= 2, 'both events');
    expect(environment.store.rows('events').map(({ universalId, removed }) => [universalId, removed])).toEqual([
      ['evt_1', 0],
      ['evt_2', 0],
    ]);
    expect(await environment.deadLetters(eventTopic.name)).toEqual([]);
  });
});

describe('a store that fails', () => {
  it.each(['store_unavailable', 'store_full', 'store_misconfigured'] as const)(
    'with %s is retried, reported in health, and gets every row once it recovers',
    async (failure) => {
      environment.store.failure = failure;
      await environment.appendTrades(ids(5));
      await start();
      await until(() => environment.store.calls >= 3, 'some attempts');
      expect(environment.health.report()).toMatchObject({
        status: 'degraded',
        parts: { sink: `the store fails with ${failure}` },
      });
      environment.store.failure = null;
      await until(() => idsIn(environment.store).size === 5, 'all rows');
      await until(() => environment.health.report().status === 'ok', 'health');
      expect(await environment.deadLetters(tradeTopics.venue_b.name)).toEqual([]);
    },
  );

  it('does not block closing, and rows that it did not store are read again', async () => {
    environment.store.failure = 'store_unavailable';
    await environment.appendTrades(ids(5));
    const sink = await start();
    await until(() => environment.store.calls >= 1, 'an attempt');
    await sink.close();
    const again = new FakeStore();
    await start({ store: again });
    await until(() => idsIn(again).size === 5, 'all rows');
  });

  it('loses no record, since a record is committed only after its row is stored', async () => {
    environment.store.refuses = () => {
      throw new Error('the process ends here');
    };
    await environment.appendTrades(ids(5));
    await start();
    await until(() => environment.health.report().parts.sink === 'failed and stopped; see the log', 'the stop');
    await running.splice(0)[0]!.close();
    const again = new FakeStore();
    await start({ store: again });
    await until(() => idsIn(again).size === 5, 'all rows');
  });
});

it('stores every bar of an answer before the range that declares them complete, also in several batches', async () => {
  const bars = Array.from({ length: 59 }, (_, nth) => ['BTC', aCandle({ openTime: nth * 60_000 })] as const);
  await environment.append(venueCandleTopics.venue_a, bars);
  await environment.append(venueCandleRangeTopics.venue_a, [['BTC', aCandleRange({ source: 'official_api' })]]);
  await start({ batchRows: 20, batchMs: 60_000 });
  await until(() => environment.store.rows('candle_bars').length === 59, 'all bars');
  await running.splice(0)[0]!.close();
  const tables = environment.store.inserts.map(({ table }) => table);
  expect(tables.indexOf('candle_ranges')).toBeGreaterThan(tables.lastIndexOf('candle_bars'));
});

it('inserts bars before ranges also if a range came first', async () => {
  const polled = countPolled(environment.log);
  await environment.append(venueCandleRangeTopics.venue_a, [['BTC', aCandleRange({ source: 'official_api' })]]);
  await start({ log: polled.log, batchRows: 4, batchMs: 60_000 });
  await until(() => polled.count() === 1, 'the range read');
  const bars = [0, 1].map((nth) => ['BTC', aCandle({ openTime: nth * 60_000 })] as const);
  await environment.append(venueCandleTopics.venue_a, bars);
  await environment.append(venueCandleRangeTopics.venue_a, [['ETH', aCandleRange({ coin: 'ETH' })]]);
  await until(() => environment.store.inserts.length === 2, 'both tables');
  expect(environment.store.inserts.map(({ table }) => table)).toEqual(['candle_bars', 'candle_ranges']);
});

/** Wraps a codec with some other methods. */
function codecWith(codec: Codec, methods: Partial<Codec>): Codec {
  return Object.assign(Object.create(codec) as Codec, methods);
}

describe('a record that can never become a row', () => {
  const topic = tradeTopics.venue_b.name;
  const deadCount = async () =>
    (await environment.metrics.deadLetters.get()).values.map(({ labels, value }) => [
      labels.topic,
      labels.reason,
      value,
    ]);

  it('is separated from the others of its batch and becomes a dead letter with its bytes', async () => {
    environment.store.refuses = (row) => row.id === 't3' || row.id === 't12';
    await environment.appendTrades(ids(20));
    await start();
    await until(() => idsIn(environment.store).size === 18, 'the other rows');
    await until(async () => (await environment.deadLetters(topic)).length === 2, 'the dead letters');
    const deadLetters = await environment.deadLetters(topic);
    expect(deadLetters.map(({ stage, reason, detail }) => ({ stage, reason, detail }))).toEqual(
      Array(2).fill({ stage: 'sink', reason: 'store_rejected', detail: 'a row is at fault' }),
    );
    const trades = deadLetters.map((deadLetter) => environment.codec.decode(tradeTopics.venue_b, deadLetter.value!));
    expect(trades.map((trade) => trade.id).sort()).toEqual(['t12', 't3']);
    // They are counted after the append to the log, perhaps a moment after they can be read.
    await until(async () => (await deadCount()).length > 0, 'the count');
    expect(await deadCount()).toEqual([[topic, 'store_rejected', 2]]);
    expect(environment.health.report().status).toBe('ok');
  });

  it('is truncated in a dead letter that would be too large for the log', async () => {
    const value = Buffer.alloc(RECORD_BYTES_MAX - 1_000, 'x');
    await environment.append(tradeTopics.venue_b, [['a', value]]);
    await start();
    await until(async () => (await environment.deadLetters(topic)).length === 1, 'the dead letter');
    const [deadLetter] = await environment.deadLetters(topic);
    expect(deadLetter!.value!.length).toBeLessThan(value.length);
    expect(deadLetter!.value!.length).toBeGreaterThan(60_000);
    expect(environment.health.report().status).toBe('ok');
  });

  it('never blocks later records, whatever is wrong with it', async () => {
    await environment.append(tradeTopics.venue_b, [
      ['a', Buffer.from('not avro')],
      ['a', { ...sampleTrade, price: '1e5' }],
      ['a', null],
      ['a', { ...sampleTrade, id: 'good' }],
    ]);
    await start();
    await until(() => idsIn(environment.store).has('good'), 'the good row');
    await until(async () => (await deadCount()).length === 3, 'three dead letters');
    expect((await deadCount()).map(([, reason]) => reason).sort()).toEqual([
      'bad_decimal',
      'malformed',
      'unexpected_tombstone',
    ]);
  });

  it('is not assumed while its schema is being fetched', async () => {
    let known = false;
    let attempts = 0;
    const { codec } = environment;
    const slowCodec = codecWith(codec, {
      decodeRecord(of, record) {
        if (!known) throw new CodecError('unknown_schema', 'not known here yet');
        return codec.decodeRecord(of, record);
      },
      async fetchSchema() {
        attempts += 1;
        if (attempts < 3) throw new RegistryError('the registry cannot be reached', true);
        known = true;
      },
    });
    await environment.appendTrades(ids(2));
    await start({ codec: slowCodec });
    await until(() => idsIn(environment.store).size === 2, 'both rows');
    expect(await deadCount()).toEqual([]);
  });

  it('is one with a schema that is not registered', async () => {
    const { codec } = environment;
    const failingCodec = codecWith(codec, {
      decodeRecord() {
        throw new CodecError('unknown_schema', 'not known here yet');
      },
      fetchSchema: () => Promise.reject(new CodecError('unknown_schema', 'nobody registered it')),
    });
    await environment.appendTrades(ids(1));
    await start({ codec: failingCodec });
    await until(async () => (await deadCount()).length === 1, 'the dead letter');
    expect(await deadCount()).toEqual([[topic, 'unknown_schema', 1]]);
  });
});

describe('a store server that is unavailable', () => {
  it('is retried, and gets every row exactly once under FINAL', async () => {
    const path = await mkdtemp(join(tmpdir(), 'parallax-sink-server-'));
    const server = await startClickhouseHttpServer({ path });
    const store = await openServerStore(parseServerUrl(`${server.url}/parallax`));
    await migrate(store);
    server.fail({ kind: 'status', status: 503 });
    await environment.appendTrades(ids(30));
    const before = server.requests();
    const sink = await start({ store, batchRows: 10 });
    await until(() => server.requests() > before + 2, 'some attempts');
    expect(environment.health.report().status).toBe('degraded');
    server.fail(null);
    const count = async () => (await store.query<{ n: string }>('SELECT count() AS n FROM trades FINAL'))[0]!.n;
    await until(async () => (await count()) === '30', 'all rows');
    await sink.close();
    expect(await environment.deadLetters(tradeTopics.venue_b.name)).toEqual([]);
    await store.close();
    await server.close();
    await rm(path, { recursive: true, force: true });
  });
});

describe('two sinks', () => {
  it('share the partitions and lose nothing when one leaves', async () => {
    const other = new FakeStore();
    await start();
    await start({ store: other });
    const many = (from: number) =>
      Array.from({ length: 200 }, (_, at) => ({ id: `t${from + at}`, instrument: `i${at % 16}`, arrival: at }));
    await environment.appendTrades(many(0));
    const all = () => new Set([...idsIn(environment.store), ...idsIn(other)]);
    await until(() => all().size === 200, 'all rows');
    expect(idsIn(environment.store).size).toBeGreaterThan(0);
    expect(idsIn(other).size).toBeGreaterThan(0);
    await running.pop()!.close();
    await environment.appendTrades(many(200));
    await until(() => all().size === 400, 'the rows after');
  });
});

/** Wraps a log and counts the records that groups poll. */
function countPolled(log: EventLog): { log: EventLog; count: () => number } {
  let count = 0;
  const counting = Object.create(log, {
    group: {
      value: async (id: string, topics: readonly string[]) => {
        const consumer = await log.group(id, topics);
        return {
          ...consumer,
          async poll(maxRecords: number, timeoutMs: number) {
            const records = await consumer.poll(maxRecords, timeoutMs);
            count += records.length;
            return records;
          },
        };
      },
    },
  }) as EventLog;
  return { log: counting, count: () => count };
}
