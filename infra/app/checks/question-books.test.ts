/**
 * Compares the books that the query API holds, from heads and updates, with a plain replay of everything: for random
 * books, starts at any time, compacted heads, and records that arrive in any order across partitions.
 * `PARALLAX_PROPERTY_RUNS` sets the number of histories.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSpreadsStage } from '#processors/spreads/stage';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { type QuestionBooksView, questionBooksView } from '#query-api/views/question-books';
import { formatDecimal } from '#schemas/domain/decimal';
import { BOOK_HEAD_DELAY_MS, bookHeadTopic } from '#schemas/topics/book-heads';
import { clockTopic } from '#schemas/topics/control';
import { bookTopics, statusTopics } from '#schemas/topics/normalised';
import { partitionOf, type Topic } from '#schemas/topics/topic';

const RUNS = Number(process.env.PARALLAX_PROPERTY_RUNS ?? 1_000);
const START = 1_800_000_000_000;
const TICK_MS = 5_000;
const TOKENS = ['111', '222', '333', '444', '555', '#70'];

interface Placed {
  readonly topic: Topic<never>;
  readonly partition: number;
  readonly key: string;
  readonly receivedAt: number;
  readonly value: unknown;
}

const side = fc.array(
  fc.record({ price: fc.constantFrom('0.1', '0.2', '0.30', '0.4'), size: fc.constantFrom('0', '1', '2.50') }),
  { maxLength: 3 },
);
const action = fc.record({
  /** Several records often have the same time. */
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 })),
  token: fc.constantFrom(...TOKENS),
  kind: fc.constantFrom('snapshot', 'change', 'change', 'change', 'end'),
  bids: side,
  asks: side,
});
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const at = (topic: Topic<never>, key: string, receivedAt: number, value: unknown): Placed => ({
  topic,
  partition: partitionOf(key, topic.partitions),
  key,
  receivedAt,
  value,
});

/** The records of a history in merged order, with a tick every 5 s, and some minutes in which nothing happens. */
function recordsOf(actions: readonly Action[]): Placed[] {
  const records: Placed[] = [];
  let now = START;
  for (const { afterMs, token, kind, bids, asks } of actions) {
    now += afterMs;
    const venue = token.startsWith('#') ? 'venue_a' : 'venue_b';
    const common = { provider: venue, instrument: token, marketId: null, feed: 'f', receivedAt: now };
    if (kind === 'end') records.push(at(statusTopics[venue] as never, token, now, null));
    else {
      const snapshot = kind === 'snapshot' || venue === 'venue_a';
      const update = { ...common, ts: now, snapshot, bids, asks };
      records.push(at(bookTopics[venue] as never, token, now, update));
    }
  }
  for (let tick = START; tick <= now + 30_000; tick += TICK_MS) {
    const mark = { receivedAt: tick, tick: true, hour: false, day: false };
    records.push(at(clockTopic as never, 'clock', tick, mark));
  }
  return records.sort(inMergedOrder);
}

function inMergedOrder(a: Placed, b: Placed): number {
  const byTopic = a.topic.name < b.topic.name ? -1 : a.topic.name > b.topic.name ? 1 : 0;
  return a.receivedAt - b.receivedAt || byTopic || a.partition - b.partition;
}

/** The heads that the real stage emits, restarted in between. */
function headsOf(records: readonly Placed[]): Placed[] {
  const driver = driveStage(createSpreadsStage({ arbitrageSize: '100' }));
  const heads: Placed[] = [];
  for (const [nth, { topic, key, receivedAt, value }] of records.entries()) {
    if (nth % 7 === 3) driver.restart();
    driver.clear();
    driver.feed(topic, value as never, { key, receivedAt });
    expect(driver.deadLetters).toEqual([]);
    for (const output of driver.outputs)
      if (output.topic === bookHeadTopic.name)
        heads.push(at(bookHeadTopic as never, output.key, receivedAt, output.value));
  }
  return heads;
}

/** Every book after all records, plainly: prices to sizes. */
function plainBooks(records: readonly Placed[]) {
  const books = new Map<string, { bookAt: number; bids: Map<number, number>; asks: Map<number, number> }>();
  for (const { topic, key, receivedAt, value } of records) {
    if (topic.name === clockTopic.name) continue;
    if (value === null) {
      books.delete(key);
      continue;
    }
    const update = value as Pick<Action, 'bids' | 'asks'> & { snapshot: boolean };
    if (update.snapshot) books.set(key, { bookAt: receivedAt, bids: new Map(), asks: new Map() });
    const book = books.get(key);
    if (!book) continue;
    book.bookAt = receivedAt;
    for (const name of ['bids', 'asks'] as const)
      for (const { price, size } of update[name]) {
        if (Number(size) === 0) book[name].delete(Number(price));
        else book[name].set(Number(price), Number(size));
      }
  }
  const sorted = (levels: Map<number, number>, sign: number) => [...levels].sort(([a], [b]) => sign * (a - b));
  return Object.fromEntries(
    [...books].map(([key, { bookAt, bids, asks }]) => [key, { bookAt, bids: sorted(bids, -1), asks: sorted(asks, 1) }]),
  );
}

function viewBooks({ books }: QuestionBooksView) {
  return Object.fromEntries(
    [...books].map(([key, { book, bookAt }]) => {
      const plain = (name: 'bids' | 'asks') =>
        book[name].map(({ price, size }) => [Number(formatDecimal(price)), Number(formatDecimal(size))]);
      return [key, { bookAt, bids: plain('bids'), asks: plain('asks') }];
    }),
  );
}

function applyTo(view: QuestionBooksView, { topic, key, receivedAt, value, partition }: Placed): void {
  const input = questionBooksView.inputs.find((one) => one.topic.name === topic.name)!;
  const record = { topic: topic.name, partition, offset: 0, key, receivedAt, value };
  input.handle(view, record as never, undefined as never);
}

/** The heads that a compaction up to an index leaves. */
function compacted(heads: readonly Placed[], until: number): Placed[] {
  const newest = new Map(heads.map(({ key }, index) => [key, index]));
  return heads.filter(({ key }, index) => index >= until || newest.get(key) === index);
}

const share = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);

const history = fc.record({
  actions: fc.array(action, { minLength: 20, maxLength: 60, size: 'max' }),
  /** Shares of the heads that are in the log at the start, and of the updates beyond those that the heads contain. */
  headsAtStart: share,
  updatesAtStart: share,
  compactedShare: share,
  arrival: fc.infiniteStream(fc.nat(1_000)),
});

/** How far a partition may be ahead of another one when records arrive, ms of event time. */
const AHEAD_MAX_MS = 90_000;

it('equal a replay of everything, whenever a node starts and however records arrive', () => {
  let restarts = 0;
  fc.assert(
    fc.property(history, ({ actions, headsAtStart, updatesAtStart, compactedShare, arrival }) => {
      const records = recordsOf(actions);
      const updates = records.filter(({ topic, value }) => topic.name !== clockTopic.name && value !== null);
      const heads = headsOf(records);

      const atStart = heads.slice(0, Math.round(headsAtStart * heads.length));
      const newest = atStart.at(-1)?.receivedAt ?? null;
      // The stage processed what is before its newest head; the topic of updates may hold more.
      const processed = updates.filter(({ receivedAt }) => newest !== null && receivedAt < newest).length;
      const held = processed + Math.round(updatesAtStart * (updates.length - processed));
      const since = newest === null ? 0 : newest - 2 * BOOK_HEAD_DELAY_MS;
      const view = questionBooksView.initialState();
      const first = [
        ...compacted(atStart, Math.round(compactedShare * atStart.length)),
        ...updates.slice(0, held).filter(({ receivedAt }) => receivedAt >= since),
      ];
      for (const record of first.sort(inMergedOrder)) applyTo(view, record);
      if (newest !== null && since > START) restarts += 1;

      const partitions = new Map<string, Placed[]>();
      for (const record of [...heads.slice(atStart.length), ...updates.slice(held)]) {
        const name = `${record.topic.name}/${record.partition}`;
        partitions.set(name, [...(partitions.get(name) ?? []), record]);
      }
      const queues = [...partitions.values()];
      while (queues.some((queue) => queue.length > 0)) {
        const waiting = queues.filter((queue) => queue.length > 0);
        const earliest = Math.min(...waiting.map(([next]) => next!.receivedAt));
        const ready = waiting.filter(([next]) => next!.receivedAt <= earliest + AHEAD_MAX_MS);
        applyTo(view, ready[arrival.next().value! % ready.length]!.shift()!);
      }
      expect(viewBooks(view)).toEqual(plainBooks(records));
    }),
    { numRuns: RUNS },
  );
  expect(restarts).toBeGreaterThan(RUNS / 10);
}, 120_000);

it('equal a replay of everything after a start from heads alone', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 40 }), (actions) => {
      const quiet = recordsOf(actions);
      const end = quiet.at(-1)!.receivedAt;
      for (let tick = end + TICK_MS; tick <= end + 2 * BOOK_HEAD_DELAY_MS; tick += TICK_MS)
        quiet.push(at(clockTopic as never, 'clock', tick, { receivedAt: tick, tick: true, hour: false, day: false }));
      const heads = headsOf(quiet);
      const view = questionBooksView.initialState();
      for (const head of compacted(heads, heads.length)) applyTo(view, head);
      expect(viewBooks(view)).toEqual(plainBooks(quiet));
    }),
    { numRuns: RUNS / 5 },
  );
}, 60_000);
