/** Compares live with rebuilt records, both appended by the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Reconcile, reconcileTopic, spreadHeadTopic, spreadTopic } from '#schemas/topics/derived';
import { statusTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../../../codec/codec.ts';
import { createCodec } from '../../../codec/create-codec.ts';
import { openLogRegistry } from '../../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import type { EventLog } from '../../../log/log.ts';
import { compareTopics, derivedTopics } from './compare-topics.ts';

const HOUR_MS = 3_600_000;
const DAYS_MS = 30 * 24 * HOUR_MS;

let path: string;
let live: EventLog;
let rebuilt: EventLog;
let codec: Codec;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-compare-topics-'));
  live = await openEmbeddedLog({ path: join(path, 'live') });
  rebuilt = await openEmbeddedLog({ path: join(path, 'rebuilt') });
  codec = createCodec(await openLogRegistry(live));
  await codec.prepare(derivedTopics());
  await Promise.all([live.createTopics(derivedTopics()), rebuilt.createTopics(derivedTopics())]);
});
afterEach(async () => {
  await Promise.all([live.close(), rebuilt.close()]);
  await rm(path, { recursive: true, force: true });
});

/** Records of every topic here share one value type, since records with equal bytes are not decoded. */
const bytes = (ingested: number) => codec.encode(reconcileTopic, { receivedAt: 1, ingested } as Reconcile);
type RecordSpec = readonly [seq: number, key?: string, content?: number | null];
async function append(log: EventLog, topic: Topic, records: readonly RecordSpec[]): Promise<void> {
  for (const [seq, key = 'k', content = seq] of records) {
    const value = content === null ? null : bytes(content);
    await log.append([{ topic: topic.name, partition: 0, key, value, receivedAt: 1, seq }]);
  }
}
const numbers = (from: number, to: number): RecordSpec[] =>
  Array.from({ length: to - from + 1 }, (_, at) => [from + at] as const);

interface KnownProgress {
  readonly written?: number;
  readonly committed?: number;
  readonly seqBefore?: number;
  /** Wall time that has passed since the records were appended. */
  readonly laterMs?: number;
}
async function compare(topic: Topic, { written = 0, committed = 0, seqBefore = 0, laterMs = 0 }: KnownProgress = {}) {
  const name = `${topic.name}/0`;
  const { differences, pending, sink } = await compareTopics({
    live,
    rebuilt,
    codec,
    progress: {
      writtenSeqs: new Map([[name, written]]),
      committed: new Map([[name, committed]]),
      appendedSince: Date.now() - HOUR_MS,
    },
    seqsBefore: new Map([[name, seqBefore]]),
    rawMaxAgeMs: DAYS_MS,
    now: Date.now() + laterMs,
  });
  const found = differences.map(({ key, expected, actual }) => {
    const kind = expected === null ? 'added' : actual === null ? 'removed' : 'altered';
    return `${kind} ${key}`;
  });
  return { found, pending: pending[topic.name] ?? 0, committedSeq: sink.get(name)!.committedSeq };
}

describe('a topic of history', () => {
  const topic = spreadTopic as Topic;

  it('counts records after the live end as pending', async () => {
    await append(rebuilt, topic, numbers(1, 10));
    await append(live, topic, numbers(1, 7));
    expect(await compare(topic)).toMatchObject({ found: [], pending: 3 });
    expect(await compare(topic, { written: 7 })).toMatchObject({ found: [], pending: 3 });
  });

  it('reports records missing at its end that a snapshot or the sink proves to have been written', async () => {
    await append(rebuilt, topic, numbers(1, 10));
    await append(live, topic, numbers(1, 7));
    expect(await compare(topic, { written: 8 })).toMatchObject({ found: ['removed 0/8'], pending: 2 });
    expect(await compare(topic, { committed: 9 })).toMatchObject({ found: ['removed 0/8', 'removed 0/9'], pending: 1 });
  });

  it('reports a gap in its numbers', async () => {
    await append(rebuilt, topic, numbers(1, 10));
    await append(live, topic, [...numbers(1, 3), ...numbers(5, 10)]);
    expect(await compare(topic)).toMatchObject({ found: ['removed 0/4'], pending: 0 });
    // Retention removes only the oldest records.
    expect((await compare(topic, { laterMs: 2 * DAYS_MS })).found).toEqual(['removed 0/4']);
  });

  it('may lack its oldest records only if retention can have removed them', async () => {
    await append(rebuilt, topic, numbers(1, 10));
    await append(live, topic, numbers(4, 10));
    expect((await compare(topic)).found).toEqual(['removed 0/1', 'removed 0/2', 'removed 0/3']);
    expect((await compare(topic, { laterMs: DAYS_MS })).found).toEqual([]);
  });

  it('reports records whose key or value differs', async () => {
    await append(rebuilt, topic, numbers(1, 4));
    await append(live, topic, [[1], [2, 'other'], [3, 'k', 33], [4]]);
    expect((await compare(topic)).found).toEqual(['altered 0/2', 'altered 0/3']);
  });

  it('reports a record that cannot be decoded', async () => {
    await append(rebuilt, topic, numbers(1, 1));
    await live.append([
      { topic: topic.name, partition: 0, key: 'k', value: Buffer.from('none'), receivedAt: 1, seq: 1 },
    ]);
    expect((await compare(topic)).found).toEqual(['altered 0/1']);
  });

  it('may repeat numbers, as a broker does, but only with the same content', async () => {
    await append(rebuilt, topic, numbers(1, 4));
    await append(live, topic, [...numbers(1, 3), ...numbers(2, 3), [4]]);
    expect((await compare(topic)).found).toEqual([]);
    await append(live, topic, [[3, 'k', 33], [0], [5]]);
    expect((await compare(topic)).found).toEqual(['altered 0/3', 'added 0/0', 'added 0/5']);
  });

  it('is compared from the number at which the rebuild started', async () => {
    await append(rebuilt, topic, numbers(6, 10));
    await append(live, topic, numbers(1, 10));
    expect(await compare(topic, { seqBefore: 5, committed: 8 })).toEqual({ found: [], pending: 0, committedSeq: 8 });
  });

  it('yields the newest number that the sink committed, even after retention', async () => {
    await append(live, topic, numbers(1, 10));
    await append(rebuilt, topic, numbers(1, 12));
    expect((await compare(topic, { committed: 0 })).committedSeq).toBe(0);
    expect((await compare(topic, { committed: 4 })).committedSeq).toBe(4);
    expect((await compare(topic, { committed: 10 })).committedSeq).toBe(10);
    await live.maintain(Date.now() + 2 * DAYS_MS, { rawMaxAgeMs: DAYS_MS, rawMaxBytes: 1e12 });
    expect((await compare(topic, { committed: 4, laterMs: 2 * DAYS_MS })).committedSeq).toBe(4);
  });
});

describe('a compacted topic', () => {
  const topic = spreadHeadTopic as Topic;
  const keyed: RecordSpec[] = [
    [1, 'a'],
    [2, 'b'],
    [3, 'a'],
    [4, 'c'],
    [5, 'b', null],
    [6, 'd'],
  ];

  it('may lack records that a newer one of the key replaced, but not the newest', async () => {
    await append(rebuilt, topic, keyed);
    await append(live, topic, keyed.slice(1));
    expect((await compare(topic)).found).toEqual([]);
    await live.clearTopic(topic.name);
    await append(live, topic, [
      [2, 'b'],
      [5, 'b', null],
      [6, 'd'],
    ]);
    expect((await compare(topic)).found).toEqual(['removed 0/a', 'removed 0/c']);
  });

  it('may lack a tombstone from a day after its append', async () => {
    await append(rebuilt, topic, keyed);
    await append(
      live,
      topic,
      keyed.filter(([seq]) => seq !== 5 && seq !== 2),
    );
    expect((await compare(topic)).found).toEqual(['removed 0/b']);
    expect((await compare(topic, { laterMs: 25 * HOUR_MS })).found).toEqual([]);
  });

  it('reports a missing newest record even if its successor is pending', async () => {
    await append(rebuilt, topic, [...keyed, [7, 'c']]);
    await append(
      live,
      topic,
      keyed.filter(([seq]) => seq !== 4),
    );
    expect(await compare(topic)).toMatchObject({ found: ['removed 0/c'], pending: 1 });
  });

  it('retains replaced records for a day if processors read the topic', async () => {
    const forProcessors = statusTopics.venue_b as Topic;
    await append(rebuilt, forProcessors, keyed);
    await append(live, forProcessors, keyed.slice(1));
    expect((await compare(forProcessors)).found).toEqual(['removed 0/a']);
    expect((await compare(forProcessors, { laterMs: 25 * HOUR_MS })).found).toEqual([]);
  });

  it('reports altered and added records by their keys', async () => {
    await append(rebuilt, reconcileTopic as Topic, keyed);
    await append(live, reconcileTopic as Topic, [...keyed.slice(0, 3), [4, 'c', 44], ...keyed.slice(4), [7, 'new']]);
    expect((await compare(reconcileTopic as Topic)).found).toEqual(['altered 0/c', 'added 0/new']);
  });
});
