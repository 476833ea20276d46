/** Compares the newest catalog pass of a recording with an independent count of its responses. */
import { describe, expect, it } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type Reconcile, reconcileTopic, type UniversalEvent } from '#schemas/topics/derived';
import { marketTopics } from '#schemas/topics/normalised';
import type { RawEnvelope } from '#schemas/topics/raw';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { type AnyRecord, play, readRecording, sharedPath } from '../venues/venue-b/normalise/venue-b.fixture.ts';
import { createEventsStage } from './stage.ts';

const RECORDINGS = ['recordings/venue_b-2026', 'recordings/venue_b-mlb-2025-06-19'].map(
  (path) => [`${path} (skipped where it is absent)`, sharedPath(path)] as const,
);
const TICK_MS = 5_000;

const isCatalog = ({ topic }: AnyRecord) => topic === 'raw.venue_b.gamma' || topic === 'raw.venue_b.clob';

/** Returns the ids of conditions anywhere in a response. */
function conditionsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(conditionsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { conditionId, condition_id: clobId } = value as Record<string, unknown>;
  const own = [conditionId, clobId].filter((id): id is string => typeof id === 'string' && id !== '');
  return [...own, ...Object.values(value).flatMap(conditionsIn)];
}

/** Returns the ids of the conditions of gamma's markets that have a title. */
function namedIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namedIn);
  if (typeof value !== 'object' || value === null) return [];
  const { conditionId, question } = value as Record<string, unknown>;
  const own = typeof conditionId === 'string' && typeof question === 'string' ? [conditionId] : [];
  return [...own, ...Object.values(value).flatMap(namedIn)];
}

/** Runs the events stage after the normaliser of venue_b, with clock marks between the records. */
function reconcile(records: readonly AnyRecord[]) {
  const probe = probeStage(createEventsStage());
  const newest = new Map<string, UniversalEvent>();
  let pass: Reconcile | undefined;
  let tickAt: number | null = null;
  const tick = () => {
    const mark = { receivedAt: tickAt!, tick: true, hour: false, day: false };
    pass = emittedTo(probe.send(clockTopic, 'clock', mark), reconcileTopic).at(-1) ?? pass;
    tickAt = tickAt! + TICK_MS;
  };
  for (const market of play(records).markets) {
    tickAt ??= market.receivedAt - (market.receivedAt % TICK_MS) + TICK_MS;
    while (tickAt <= market.receivedAt) tick();
    const outputs = probe.send(marketTopics.venue_b, market.marketId, market);
    for (const event of emittedTo(outputs, eventTopic)) newest.set(event.universalId, event);
  }
  tick();
  return { pass, listed: [...newest.values()].filter(({ mergedInto }) => mergedInto === null) };
}

/** Repeats the responses a minute later, with another title if `isChanged` returns true. */
function later(records: readonly AnyRecord[], isChanged: (conditionId: string) => boolean): AnyRecord[] {
  const rename = (key: string, value: unknown) => {
    if (key !== '' && (typeof value !== 'object' || value === null)) return value;
    const { conditionId, question } = (value ?? {}) as Record<string, unknown>;
    if (typeof conditionId !== 'string' || typeof question !== 'string' || !isChanged(conditionId)) return value;
    return { ...(value as object), question: `${question} (renamed)` };
  };
  return records.map((record) => {
    const envelope = record.value as RawEnvelope;
    const receivedAt = record.receivedAt + 60_000;
    const payload = Buffer.from(JSON.stringify(JSON.parse(envelope.payload.toString()), rename));
    return { ...record, receivedAt, value: { ...envelope, receivedAt, payload } };
  });
}

describe.each(RECORDINGS)('the catalog in %s', (_, folder) => {
  it.skipIf(folder === null)('is counted once per market, and each market belongs to one event', () => {
    const records = readRecording(folder!).filter(isCatalog);
    const answers = records.map(({ value }) => JSON.parse((value as RawEnvelope).payload.toString()) as unknown);
    const conditions = new Set(answers.flatMap(conditionsIn));
    // All responses of the recording have the same time, so one pass contains all of them.
    const [receivedAt, ...others] = new Set(records.map((record) => record.receivedAt));
    expect(others).toEqual([]);
    const { pass, listed } = reconcile(records);
    const at = receivedAt! - (receivedAt! % TICK_MS) + TICK_MS;
    expect(pass).toEqual({ receivedAt: at, ingested: conditions.size });
    const linked = listed.flatMap(({ links }) => links.map(({ providerMarketId }) => providerMarketId));
    expect(linked.sort()).toEqual([...conditions].sort());
  });

  it.skipIf(folder === null)('counts only changed markets in a later pass', () => {
    const records = readRecording(folder!).filter(isCatalog);
    const gamma = new Set(
      records
        .filter(({ topic }) => topic.endsWith('.gamma'))
        .flatMap(({ value }) => namedIn(JSON.parse((value as RawEnvelope).payload.toString()))),
    );
    const changed = new Set([...gamma].filter((_, nth) => nth % 3 === 0));
    expect(changed.size).toBeGreaterThan(0);
    const { pass } = reconcile([...records, ...later(records, (id) => changed.has(id))]);
    expect(pass?.ingested).toBe(changed.size);
  });
});
