import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { CHECKED_AT_ONCE, createChannelSeqs, forgetInactiveChannels, INACTIVE_MS, nextSeq } from './channel-seqs.ts';

const TOPIC = channelTopics.events;
const placeOf = (channel: string) => partitionOf(channel, TOPIC.partitions);
const ofEvent = (nth: number) => formatChannel({ kind: 'event', universalId: `evt_${nth}` });
/** Events whose channels stand in the partition of the first one, and one whose does not. */
const [ONE, OTHER, THIRD] = Array.from({ length: 50 }, (_, nth) => ofEvent(nth)).filter(
  (channel) => placeOf(channel) === placeOf(ofEvent(0)),
) as [string, string, string];
const ELSEWHERE = ofEvent(
  Array.from({ length: 50 }, (_, nth) => nth).find((nth) => placeOf(ofEvent(nth)) !== placeOf(ONE))!,
);

function numbers() {
  const seqs = createChannelSeqs();
  return {
    seqs,
    tell: (channel: string, times = 1) => Array.from({ length: times }, () => nextSeq(seqs, TOPIC, channel)),
    look: (weeks: number, alive: readonly string[] = []) =>
      forgetInactiveChannels(seqs, TOPIC, weeks * INACTIVE_MS, (channel) => alive.includes(formatChannel(channel))),
    known: () => [seqs.active, seqs.inactive, seqs.due].flatMap((channels) => [...channels.keys()]).sort(),
  };
}

describe('numbers of channels', () => {
  it('count from 1, each channel by itself', () => {
    const { tell } = numbers();
    expect([tell(ONE, 2), tell(OTHER), tell(ONE)]).toEqual([[1, 2], [1], [3]]);
  });

  it('go on while the channel speaks every week, and those of a silent one are forgotten', () => {
    const { tell, look, known } = numbers();
    tell(ONE, 2);
    tell(OTHER);
    for (const week of [1, 2, 3]) {
      look(week);
      expect(tell(ONE)).toEqual([2 + week]);
    }
    expect(known()).toEqual([ONE]);
  });

  it('are kept for a week at least, whenever they are looked at', () => {
    const { tell, look } = numbers();
    look(1);
    tell(ONE, 5);
    look(1.9);
    look(2);
    look(2.9);
    expect(tell(ONE)).toEqual([6]);
  });

  it('go on after any silence of a channel that may still speak', () => {
    const { tell, look } = numbers();
    tell(ONE, 3);
    for (const week of [1, 2, 3, 4]) look(week, [ONE]);
    expect(tell(ONE)).toEqual([4]);
  });

  it('of a forgotten channel that comes back, or of a new one, begin above all that were forgotten', () => {
    const { tell, look, known } = numbers();
    tell(ONE, 3);
    tell(OTHER, 9);
    for (const week of [1, 2]) look(week);
    expect(known()).toEqual([]);
    expect([tell(ONE, 2), tell(THIRD), tell(OTHER)]).toEqual([[10, 11], [10], [10]]);
    // The floor does not sink with one that had less.
    for (const week of [3, 4]) look(week);
    expect(tell(THIRD)).toEqual([12]);
  });

  it('of many channels are looked at a few at a time, and one that speaks before its turn goes on', () => {
    const { seqs, tell, look, known } = numbers();
    const channels = Array.from({ length: 3 * CHECKED_AT_ONCE }, (_, nth) => ofEvent(nth));
    for (const channel of channels) tell(channel, 2);
    for (const week of [1, 2]) look(week);
    expect(known()).toHaveLength(2 * CHECKED_AT_ONCE);
    const last = channels.at(-1)!;
    expect(tell(last)).toEqual([3]);
    for (const week of [2.1, 2.2]) look(week);
    expect([known(), seqs.weekFrom]).toEqual([[last], 2 * INACTIVE_MS]);
  });

  it('know nothing of what was forgotten in another partition', () => {
    const { tell, look } = numbers();
    tell(ONE, 9);
    for (const week of [1, 2]) look(week);
    expect(tell(ELSEWHERE)).toEqual([1]);
  });

  it('never repeat, leave out none while a channel is known, and are never more than the records of their partition', () => {
    // Any 32-bit generator does: the same walk each time.
    let random = 7;
    const next = (below: number) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return random % below;
    };
    const walk = (restartEvery: number) => {
      random = 7;
      let seqs = createChannelSeqs();
      const records = Array.from({ length: TOPIC.partitions }, () => 0);
      const newest = new Map<string, number>();
      const told: string[] = [];
      let returned = 0;
      for (let step = 0; step < 6_000; step += 1) {
        // Channels of the last few weeks speak, and now and then one of long ago.
        const channel = ofEvent(next(4) === 0 ? next(2 + step / 20) : Math.floor(step / 20) + next(40));
        const isKnown = [seqs.active, seqs.inactive, seqs.due].some((channels) => channels.has(channel));
        const seq = nextSeq(seqs, TOPIC, channel);
        records[placeOf(channel)]! += 1;
        expect(seq).toBeLessThanOrEqual(records[placeOf(channel)]!);
        const before = newest.get(channel);
        if (isKnown) expect(seq).toBe(before! + 1);
        else if (before !== undefined) {
          returned += 1;
          expect(seq).toBeGreaterThan(before);
        }
        newest.set(channel, seq);
        told.push(`${channel} ${seq}`);
        forgetInactiveChannels(seqs, TOPIC, step * (INACTIVE_MS / 300), ({ kind }) => kind !== 'event');
        if (step % restartEvery === 0) seqs = deserialize(serialize(seqs));
      }
      expect(returned).toBeGreaterThan(100);
      expect(seqs.active.size + seqs.inactive.size + seqs.due.size).toBeLessThan(1_500);
      return told;
    };
    const inOne = walk(Number.POSITIVE_INFINITY);
    expect(walk(97)).toEqual(inOne);
  });
});
