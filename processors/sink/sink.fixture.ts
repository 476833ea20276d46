/** Environment of a sink for tests: the real embedded log and codec, and a store with rows in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import type { AppendRecord } from '#infra/log/log';
import { readPartition } from '#infra/log/read-partition';
import { type Row, type Store, StoreError, type StoreErrorCode } from '#infra/store/store';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { sampleTrade } from '#schemas/tables/sample-records.fixture';
import { type DeadLetter, deadLetterTopic } from '#schemas/topics/control';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { prepareTopics } from './sink-context.ts';

const DEADLINE_MS = 20_000;

/** Waits until `holds` returns true. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; !(await holds()); await sleep(5)) {
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
  }
}

/** A store in memory that fails on request. */
export class FakeStore implements Store {
  readonly database = 'fake';
  readonly cluster = null;
  readonly inserts: { readonly table: string; readonly rows: readonly Row[] }[] = [];
  calls = 0;
  /** Error code of the next inserts; null for success. */
  failure: StoreErrorCode | null = null;
  /** True for rows that are always rejected. */
  refuses: (row: Row) => boolean = () => false;
  /** Inserts wait for this. */
  gate: Promise<void> = Promise.resolve();

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    this.calls += 1;
    await this.gate;
    if (this.failure) throw new StoreError(this.failure, `the store fails with ${this.failure}`);
    if (rows.some(this.refuses)) throw new StoreError('store_rejected', 'a row is at fault');
    this.inserts.push({ table, rows });
  }
  rows(table = 'trades'): Row[] {
    return this.inserts.filter((insert) => insert.table === table).flatMap((insert) => insert.rows);
  }
  query<T>(): Promise<T[]> {
    return Promise.reject(new Error('the sink sends no queries'));
  }
  command(): Promise<void> {
    return Promise.reject(new Error('the sink sends no commands'));
  }
  inDatabase(): Promise<Store> {
    return Promise.resolve(this);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Opens everything that a sink needs, with a fake store. */
export async function openEnvironment() {
  const path = await mkdtemp(join(tmpdir(), 'parallax-sink-'));
  const log = await openEmbeddedLog({ path });
  const codec = createCodec(await openLogRegistry(log));
  const base = {
    log,
    codec,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    health: createHealth(),
    store: new FakeStore(),
  };
  await prepareTopics(base);
  const seqs = new Map<string, number>();

  /** Numbers and appends records of a topic like its writer; null is a tombstone, a Buffer is appended unchanged. */
  async function append<T>(topic: Topic<T>, records: readonly (readonly [key: string, value: T | Buffer | null])[]) {
    const placed: AppendRecord[] = records.map(([key, value]) => {
      const partition = partitionOf(key, topic.partitions);
      const seq = (seqs.get(`${topic.name}/${partition}`) ?? 0) + 1;
      seqs.set(`${topic.name}/${partition}`, seq);
      const bytes =
        value === null ? null : Buffer.isBuffer(value) ? Buffer.from(value) : codec.encode(topic, value as T);
      return { topic: topic.name, partition, key, value: bytes, receivedAt: 1_000, seq };
    });
    await log.append(placed);
  }

  return {
    ...base,
    append,
    /** Appends trades of venue_b with these changes to the sample. */
    appendTrades: (changes: readonly Partial<Trade>[]) =>
      append(
        tradeTopics.venue_b,
        changes.map((change) => {
          const trade = { ...sampleTrade, ...change };
          return [trade.instrument, trade] as const;
        }),
      ),
    restartNumbers: () => seqs.clear(),
    async deadLetters(topic: string): Promise<DeadLetter[]> {
      const deadLetters: DeadLetter[] = [];
      const dead = deadLetterTopic(topic);
      await readPartition(log, { topic: dead.name, partition: 0 }, (record) => {
        deadLetters.push(codec.decode(dead, record.value!));
      });
      return deadLetters;
    },
    async dispose() {
      await log.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
export type Environment = Awaited<ReturnType<typeof openEnvironment>>;
