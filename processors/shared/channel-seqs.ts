/**
 * The numbers of a writer's channels (`seq` of its frames). Markets come and go, and their channels with them, so a channel
 * that was silent for a week and whose market or event is over is forgotten. None of its numbers may be given out again
 * in the epoch: a channel without an entry begins above the highest number that a forgotten one had. That is so for each
 * partition, as a gateway takes a number for false which is higher than there are records in its partition.
 */
import { type ChannelName, parseChannel } from '#schemas/stream/channel-names';
import { partitionOf, type Topic } from '#schemas/topics/topic';

/** Longer than frames are kept (48 hours): who has a number from before then is told of a gap in any case. */
export const INACTIVE_MS = 7 * 86_400_000;
/** Channels looked at in one go, some 5 ms of work: there may be hundreds of thousands. */
export const CHECKED_AT_ONCE = 2_000;

/**
 * Part of a stage's state: the newest `seq` given out by channel, in three generations. Bounded by the channels that
 * spoke within the last weeks and by those that may still speak (`forgetSilentChannels`).
 */
export interface ChannelSeqs {
  /** Of channels that spoke in this week. */
  active: Map<string, number>;
  /** Of those that were last heard in the week before, or that may still speak. */
  inactive: Map<string, number>;
  /** Of those that were silent for a week at least, until it is found out whether they may still speak. */
  due: Map<string, number>;
  /** Highest `seq` that a forgotten channel had, by partition of the topic; 0 where none was forgotten. */
  readonly floors: number[];
  /** Event time at which this week began, unix ms. */
  weekFrom: number;
}

export function createChannelSeqs(): ChannelSeqs {
  return { active: new Map(), inactive: new Map(), due: new Map(), floors: [], weekFrom: 0 };
}

/** Gives out the next number of a channel of the topic. */
export function nextSeq(seqs: ChannelSeqs, topic: Topic, channel: string): number {
  const { active: active } = seqs;
  const seq = (active.get(channel) ?? removeInactive(seqs, topic, channel)) + 1;
  active.set(channel, seq);
  return seq;
}

/** Takes the channel out of where it is; one that is nowhere has what any forgotten one may have had. */
function removeInactive({ inactive: inactive, due, floors }: ChannelSeqs, { partitions }: Topic, channel: string): number {
  const newest = inactive.get(channel) ?? due.get(channel);
  if (newest === undefined) return floors[partitionOf(channel, partitions)] ?? 0;
  inactive.delete(channel);
  due.delete(channel);
  return newest;
}

/**
 * Forgets channels that were silent for `SILENT_MS` at least, but for those that may still speak: a market that is open
 * may be quiet for long, and who listens to it is not to be told of a gap then. To be called often, as with every clock
 * mark: a call looks at `LOOKED_AT_ONCE` channels.
 * @param now event time, unix ms.
 */
export function forgetInactiveChannels(
  seqs: ChannelSeqs,
  { partitions }: Topic,
  now: number,
  mayStillEmit: (channel: ChannelName) => boolean,
): void {
  const { active: active, inactive: inactive, due, floors } = seqs;
  if (due.size === 0) {
    if (now - seqs.weekFrom < INACTIVE_MS) return;
    Object.assign(seqs, { active: new Map(), inactive: active, due: inactive, weekFrom: now } satisfies Partial<ChannelSeqs>);
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
