/**
 * Numbers the frames of a writer's channels (`seq`). Channels come and go with their markets, so the entry of a channel
 * without a frame for a week whose market or event is closed is deleted. None of its numbers may be issued again
 * in the epoch, so a channel without an entry starts above the highest number of all deleted entries of its partition.
 * That number is per partition, because a gateway rejects a number that exceeds the count of records in its partition.
 */
import type { ChannelName } from '#schemas/stream/channel';
import { parseChannel } from '#schemas/stream/channel-names';
import { partitionOf, type Topic } from '#schemas/topics/topic';

/** Longer than frames are retained (48 hours): a client with an older number gets a gap in any case. */
export const INACTIVE_MS = 7 * 86_400_000;
/** Number of channels checked in one call, about 5 ms of work: there may be hundreds of thousands. */
export const CHECKED_AT_ONCE = 2_000;

/**
 * Part of a stage's state: the last issued `seq` of each channel, in three generations. Bounded by the channels with
 * frames within the last weeks and by those that may still get some (`expireInactiveChannels`).
 */
export interface ChannelSeqs {
  /** Channels with a frame in the current week. */
  active: Map<string, number>;
  /** Channels whose last frame was in the week before, or that may still get frames. */
  inactive: Map<string, number>;
  /** Channels without a frame for at least a week, until it is checked whether they may still get some. */
  due: Map<string, number>;
  /** Highest `seq` of all deleted entries, by partition of the topic; 0 without one. */
  readonly floors: number[];
  /** Event time at which the current week began, unix ms. */
  weekFrom: number;
}

export function createChannelSeqs(): ChannelSeqs {
  return { active: new Map(), inactive: new Map(), due: new Map(), floors: [], weekFrom: 0 };
}

/** Issues the next number of a channel of the topic. */
export function nextSeq(seqs: ChannelSeqs, topic: Topic, channel: string): number {
  const { active } = seqs;
  const seq = (active.get(channel) ?? removeInactive(seqs, topic, channel)) + 1;
  active.set(channel, seq);
  return seq;
}

/** Removes an inactive channel and returns its last number; without an entry it returns the partition's floor. */
function removeInactive({ inactive, due, floors }: ChannelSeqs, { partitions }: Topic, channel: string): number {
  const newest = inactive.get(channel) ?? due.get(channel);
  if (newest === undefined) return floors[partitionOf(channel, partitions)] ?? 0;
  inactive.delete(channel);
  due.delete(channel);
  return newest;
}

/**
 * Deletes the entries of channels without a frame for at least `INACTIVE_MS`, except those that may still get frames:
 * an open market may be quiet for long, and its subscribers must not get a gap then. Call it often, for example with
 * every clock mark: a call checks `CHECKED_AT_ONCE` channels.
 * @param now event time, unix ms.
 */
export function expireInactiveChannels(
  seqs: ChannelSeqs,
  { partitions }: Topic,
  now: number,
  mayStillEmit: (channel: ChannelName) => boolean,
): void {
  const { active, inactive, due, floors } = seqs;
  if (due.size === 0) {
    if (now - seqs.weekFrom < INACTIVE_MS) return;
    Object.assign(seqs, {
      active: new Map(),
      inactive: active,
      due: inactive,
      weekFrom: now,
    } satisfies Partial<ChannelSeqs>);
  }
  while (floors.length < partitions) floors.push(0);
  let left = CHECKED_AT_ONCE;
  for (const [name, newest] of seqs.due) {
    if (left === 0) return;
    left -= 1;
    seqs.due.delete(name);
    const channel = parseChannel(name);
    if (channel !== null && mayStillEmit(channel)) {
      seqs.inactive.set(name, newest);
      continue;
    }
    const partition = partitionOf(name, partitions);
    floors[partition] = Math.max(floors[partition]!, newest);
  }
}
