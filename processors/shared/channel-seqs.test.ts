import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { CHECKED_AT_ONCE, createChannelSeqs, expireInactiveChannels, INACTIVE_MS, nextSeq } from './channel-seqs.ts';

const TOPIC = channelTopics.events;
const placeOf = (channel: string) => partitionOf(channel, TOPIC.partitions);
const ofEvent = (nth: number) => formatChannel({ kind: 'event', universalId: `evt_${nth}` });
/** Events whose channels are in the partition of the first one, and one whose channel is not. */
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
    issue: (channel: string, times = 1) => Array.from({ length: times }, () => nextSeq(seqs, TOPIC, channel)),
    check: (weeks: number, alive: readonly string[] = []) =>
      expireInactiveChannels(seqs, TOPIC, weeks * INACTIVE_MS, (channel) => alive.includes(formatChannel(channel))),
    known: () => [seqs.active, seqs.inactive, seqs.due].flatMap((channels) => [...channels.keys()]).sort(),
  };
}

describe('numbers of channels', () => {
  it('count from 1, separately for each channel', () => {
    const { issue } = numbers();
    expect([issue(ONE, 2), issue(OTHER), issue(ONE)]).toEqual([[1, 2], [1], [3]]);
  });

  it('continue while the channel has a frame every week, and are deleted for an inactive one', () => {
    const { issue, check, known } = numbers();
    issue(ONE, 2);
    issue(OTHER);
    for (const week of [1, 2, 3]) {
      check(week);
      expect(issue(ONE)).toEqual([2 + week]);
    }
    expect(known()).toEqual([ONE]);
  });

  it('are retained for at least a week, whenever they are checked', () => {
    const { issue, check } = numbers();
    check(1);
    issue(ONE, 5);
    check(1.9);
    check(2);
    check(2.9);
    expect(issue(ONE)).toEqual([6]);
  });

  it('continue after any silence of a channel that may still get frames', () => {
    const { issue, check } = numbers();
    issue(ONE, 3);
    for (const week of [1, 2, 3, 4]) check(week, [ONE]);
    expect(issue(ONE)).toEqual([4]);
  });

  it('of a deleted channel that comes back, or of a new one, start above all deleted numbers', () => {
    const { issue, check, known } = numbers();
    issue(ONE, 3);
    issue(OTHER, 9);
    for (const week of [1, 2]) check(week);
    expect(known()).toEqual([]);
    expect([issue(ONE, 2), issue(THIRD), issue(OTHER)]).toEqual([[10, 11], [10], [10]]);
    // The floor does not fall when a channel with a lower number is deleted.
    for (const week of [3, 4]) check(week);
    expect(issue(THIRD)).toEqual([12]);
  });

  it('of many channels are checked a few at a time, and a channel with a frame before its turn continues', () => {
    const { seqs, issue, check, known } = numbers();
    const channels = Array.from({ length: 3 * CHECKED_AT_ONCE }, (_, nth) => ofEvent(nth));
    for (const channel of channels) issue(channel, 2);
    for (const week of [1, 2]) check(week);
    expect(known()).toHaveLength(2 * CHECKED_AT_ONCE);
    const last = channels.at(-1)!;
    expect(issue(last)).toEqual([3]);
    for (const week of [2.1, 2.2]) check(week);
    expect([known(), seqs.weekFrom]).toEqual([[last], 2 * INACTIVE_MS]);
  });

  it('do not depend on deleted numbers of another partition', () => {
    const { issue, check } = numbers();
    issue(ONE, 9);
    for (const week of [1, 2]) check(week);
    expect(issue(ELSEWHERE)).toEqual([1]);
  });

  it('never repeat, skip none while a channel is known, and never exceed the record count of their partition', () => {
    // A 32-bit generator, so that every run is the same.
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
      const issued: string[] = [];
      let returned = 0;
      for (let step = 0; step < 6_000; step += 1) {
        // Channels of the last few weeks get frames, and now and then an older one.
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
        issued.push(`${channel} ${seq}`);
        expireInactiveChannels(seqs, TOPIC, step * (INACTIVE_MS / 300), ({ kind }) => kind !== 'event');
        if (step % restartEvery === 0) seqs = deserialize(serialize(seqs));
      }
      expect(returned).toBeGreaterThan(100);
      expect(seqs.active.size + seqs.inactive.size + seqs.due.size).toBeLessThan(1_500);
      return issued;
    };
    const inOne = walk(Number.POSITIVE_INFINITY);
    expect(walk(97)).toEqual(inOne);
  });
});
