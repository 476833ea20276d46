/**
 * Compares arb-decay and consensus of a simulated recording, through the real ingest and processors, with a naive
 * computation. That one maintains plain books, evaluates every pair after every record, and derives the signals at the
 * end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  emptyBook,
  expectedLegs,
  naivePairs,
  type PlainBook,
  type PlainLeg,
  Ratio,
} from '#processors/spreads/naive-arbitrage.fixture';
import {
  type NaiveEvaluation,
  type NaiveSignal,
  naiveDecay,
  naiveSignals,
} from '#processors/spreads/naive-signals.fixture';
import { readSignals } from '#query-api/queries/read-signals';
import { consensusScore } from '#schemas/domain/consensus-score';
import { arbitrageSignalsTable } from '#schemas/tables/arbitrage-signals';
import { type ArbitrageSignal, arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { eventTopic, type Spread, spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type BookUpdate, bookTopics, type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../../log/log.ts';
import { readPartition } from '../../log/read-partition.ts';
import { migrate } from '../../store/migrate.ts';
import { openSimulatedService, processAll, type SimulatedService } from '../simulated-service.ts';

const SIMULATION = { rate: 30, seconds: 400, coins: 4 };

let folder = '';
let service: SimulatedService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-arb-decay-'));
  service = await openSimulatedService({ folder, ...SIMULATION });
  await processAll(service.context);
  await migrate(service.context.store);
}, 300_000);
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface DecodedRecord<T> extends Omit<LogRecord, 'value'> {
  readonly value: T | null;
}

async function read<T>(topic: Topic<T>): Promise<DecodedRecord<T>[]> {
  const { log, codec } = service.context;
  const records: DecodedRecord<T>[] = [];
  for (let partition = 0; partition < topic.partitions; partition += 1) {
    await readPartition(log, { topic: topic.name, partition }, (record) => {
      const value = record.value === null ? null : (codec.decode(topic as Topic, record.value) as T);
      records.push({ ...record, value });
    });
  }
  return records;
}

interface TrackedEvent {
  legs: PlainLeg[];
  readonly evaluations: NaiveEvaluation[];
}

/** Applies every input of the stage, in merge order, to plain books and evaluates the events. */
async function evaluateAll(size: Ratio) {
  const inputs = (
    await Promise.all(
      [eventTopic, ...Object.values(bookTopics), ...Object.values(statusTopics)].map((topic) =>
        read(topic as Topic<never>),
      ),
    )
  ).flat();
  const byTopic = (a: LogRecord['topic'], b: LogRecord['topic']) => (a < b ? -1 : a > b ? 1 : 0);
  inputs.sort(
    (a, b) =>
      a.receivedAt - b.receivedAt || byTopic(a.topic, b.topic) || a.partition - b.partition || a.offset - b.offset,
  );
  const books = new Map<string, PlainBook>();
  const events = new Map<string, TrackedEvent>();
  const bookOf = (name: string) => {
    const book = books.get(name) ?? emptyBook();
    books.set(name, book);
    return book;
  };
  const evaluate = (event: TrackedEvent, at: number) => {
    for (const { yes, no } of event.legs) for (const name of [yes, no]) bookOf(name);
    event.evaluations.push({ at, pairs: naivePairs(event.legs, books, size) });
  };
  for (const { topic, key, value, receivedAt } of inputs as DecodedRecord<unknown>[]) {
    if (topic === eventTopic.name) {
      const event = value as UniversalEvent | null;
      const legs = event && event.mergedInto === null && event.status !== 'resolved' ? legsOf(event) : [];
      const followed = events.get(key) ?? { legs, evaluations: [] };
      followed.legs = legs;
      events.set(key, followed);
      evaluate(followed, receivedAt);
      continue;
    }
    if (topic.startsWith('derived.books.')) applyBook(bookOf(key), value as BookUpdate);
    else applyStatus(bookOf(key), value as MarketStatus | null);
    for (const event of events.values())
      if (event.legs.some(({ yes, no }) => yes === key || no === key)) evaluate(event, receivedAt);
  }
  return { books, events };
}

function legsOf({ links }: UniversalEvent): PlainLeg[] {
  return links
    .filter(({ used, yesInstrument }) => used && yesInstrument !== '')
    .map((link) => ({
      provider: link.provider as PlainLeg['provider'],
      marketId: link.providerMarketId,
      inverse: link.polarity === 'inverse',
      rate: link.takerFeeRate,
      yes: link.yesInstrument,
      no: link.noInstrument ?? `no NO of ${link.yesInstrument}`,
      marketState: link.marketState,
    }));
}

function applyBook(book: PlainBook, update: BookUpdate): void {
  if (book.at === null && !update.snapshot) return;
  for (const [side, levels] of [
    [book.bids, update.bids],
    [book.asks, update.asks],
  ] as const) {
    if (update.snapshot) side.clear();
    for (const { price, size } of levels) {
      if (size === '0') side.delete(price);
      else side.set(price, size);
    }
  }
  book.at = update.receivedAt;
}

function applyStatus(book: PlainBook, status: MarketStatus | null): void {
  book.state = status?.state ?? null;
  if (status !== null) return;
  book.bids.clear();
  book.asks.clear();
  book.at = null;
}

function signalText(signal: NaiveSignal): string {
  const { kind, firstMarketId, secondMarketId, beganAt, decayedAt, endedAt } = signal;
  const peak = decayedAt === null ? null : [signal.peakAt, signal.peakNetEdge];
  return JSON.stringify([kind, firstMarketId, secondMarketId, beganAt, peak, decayedAt, endedAt]);
}

it('signals, decay figures and consensus equal those of the naive computation', async () => {
  const { settings, store } = service.context;
  const { books, events } = await evaluateAll(Ratio.of(settings.arbitrageSize));
  const published = (await read<ArbitrageSignal>(arbitrageSignalTopic)).map(({ value, ...meta }) => ({
    signal: value!,
    meta,
  }));
  await store.insert(
    'arbitrage_signals',
    published.map(({ signal, meta }) => arbitrageSignalsTable.row(signal, { ...meta })),
  );
  const heads = new Map((await read<Spread>(spreadHeadTopic)).map(({ key, value }) => [key, value]));
  const now = Math.max(...[...events.values()].map(({ evaluations }) => evaluations.at(-1)!.at));

  const counts = { signals: 0, decayed: 0, scores: 0 };
  for (const [universalId, { legs, evaluations }] of events) {
    const expected = naiveSignals(evaluations);
    const newest = new Map(
      published.filter(({ signal }) => signal.universalId === universalId).map(({ signal }) => [signal.id, signal]),
    );
    expect([...newest.values()].map(signalText).sort(), universalId).toEqual(expected.map(signalText).sort());
    const figures = await readSignals(store, [universalId], now);
    expect(figures, universalId).toEqual(naiveDecay(expected));
    counts.signals += expected.length;
    counts.decayed += figures.decayedSignals;

    const mids = expectedLegs(legs, books).flatMap(({ live, yesMid }) => (live && yesMid !== null ? [yesMid] : []));
    const score = mids.length < 2 ? null : new Ratio(1n).minus(largestDistance(mids)).text();
    expect(consensusScore(heads.get(universalId)?.legs ?? []), universalId).toBe(score);
    if (score !== null) counts.scores += 1;
  }
  expect(counts.signals).toBeGreaterThan(20);
  expect(counts.decayed).toBeGreaterThan(10);
  expect(counts.scores).toBeGreaterThan(3);
}, 300_000);

function largestDistance(mids: readonly string[]): Ratio {
  let largest = new Ratio(0n);
  for (const a of mids) {
    for (const b of mids) {
      const distance = Ratio.of(a).minus(Ratio.of(b));
      if (largest.below(distance)) largest = distance;
    }
  }
  return largest;
}
