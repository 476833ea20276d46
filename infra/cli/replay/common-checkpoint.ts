/** Where to begin when raw topics no longer hold their beginning: the oldest midnight from which all can be derived. */
import type { Logger } from 'pino';
import type { Codec } from '../../codec/codec.ts';
import type { EventLog } from '../../log/log.ts';
import type { Removed } from '../../stages/beginning.ts';
import { type Cut, type CutStore, openCuts } from '../../stages/cuts.ts';
import { removedBefore } from '../../stages/removed-records.ts';
import type { Snapshot } from '../../stages/snapshot.ts';
import type { Stage } from '../../stages/stage.ts';
import { partitionsOf } from '../../stages/stage-topics.ts';
import { isSource } from './overlay-log.ts';

/** One snapshot of every stage at the same moment of event time, so that they fit together. */
export interface CommonCut {
  /** The midnight, unix ms: all that was received before is in the snapshots, and nothing else. */
  readonly at: number;
  /** By stage. The offsets of sources only: what a stage reads of another one is derived again. */
  readonly snapshots: ReadonlyMap<string, Snapshot<unknown>>;
}

/** How many records of the stages' sources retention has removed, for each partition that lost some. */
export async function removedSources(log: EventLog, stages: readonly Stage<unknown>[]): Promise<Removed[]> {
  const topics = new Map(stages.flatMap(({ inputs }) => inputs.map(({ topic }) => [topic.name, topic] as const)));
  const removed: Removed[] = [];
  for (const { topic, at } of partitionsOf([...topics.values()].filter(({ name }) => isSource(name)))) {
    const records = await removedBefore(log, topic, at);
    if (records > 0) removed.push({ ...at, records });
  }
  return removed;
}

/** As `12 of raw.venue_a.ws, 3 of control.clock`. */
export function listRemoved(removed: readonly Removed[]): string {
  const byTopic = new Map<string, number>();
  for (const { topic, records } of removed) byTopic.set(topic, (byTopic.get(topic) ?? 0) + records);
  return [...byTopic].map(([topic, records]) => `${records} of ${topic}`).join(', ');
}

/** Null when no midnight has a whole cut of every stage with all raw records since. */
export async function findCommonCut(
  { log, codec, logger }: { readonly log: EventLog; readonly codec: Codec; readonly logger: Logger },
  stages: readonly Stage<unknown>[],
): Promise<CommonCut | null> {
  const stores = new Map<string, CutStore<unknown>>();
  let candidates: number[] | null = null;
  for (const stage of stages) {
    const store = await openCuts({ stage, log, codec, logger });
    stores.set(stage.name, store);
    const usable = await usableCuts(log, await store.list());
    candidates = candidates ? candidates.filter((at) => usable.has(at)) : [...usable];
  }
  for (const at of candidates ?? []) {
    const snapshots = await loadAll(stores, at);
    if (snapshots) return { at, snapshots };
  }
  return null;
}

/** Midnights, oldest first, since when every record of the sources is kept. */
async function usableCuts(log: EventLog, cuts: readonly Cut[]): Promise<Set<number>> {
  const usable = new Set<number>();
  const firsts = new Map<string, number>();
  for (const { at, position } of cuts) {
    let isUsable = true;
    for (const [name, offset] of position.offsets) {
      const slash = name.lastIndexOf('/');
      const place = { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
      if (!isSource(place.topic)) continue;
      const first = firsts.get(name) ?? (await log.bounds(place)).first;
      firsts.set(name, first);
      if (offset < first) isUsable = false;
    }
    if (isUsable) usable.add(at);
  }
  return usable;
}

async function loadAll(
  stores: ReadonlyMap<string, CutStore<unknown>>,
  at: number,
): Promise<Map<string, Snapshot<unknown>> | null> {
  const snapshots = new Map<string, Snapshot<unknown>>();
  for (const [stage, store] of stores) {
    const snapshot = await store.load(at);
    if (!snapshot) return null;
    const sources = [...snapshot.offsets].filter(([name]) => isSource(name.slice(0, name.lastIndexOf('/'))));
    snapshots.set(stage, { ...snapshot, offsets: new Map(sources) });
  }
  return snapshots;
}

/** The numbers that all stages had given out by then, by `topic/partition`: what is derived again has greater ones. */
export function seqsBefore({ snapshots }: CommonCut): ReadonlyMap<string, number> {
  return new Map([...snapshots.values()].flatMap(({ outputSeqs }) => [...outputSeqs]));
}
