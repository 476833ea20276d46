/** Tests that numbers of channels whose event is archived are deleted and never issued again. */
import { describe, expect, it } from 'vitest';
import { aLink, anEvent, aSpread } from '#schemas/testing/records.fixture';
import { channelTopics } from '#schemas/topics/channels';
import { eventTopic, spreadTopic } from '#schemas/topics/derived';
import { partitionOf } from '#schemas/topics/topic';
import { INACTIVE_MS } from '../shared/channel-seqs.ts';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createChannelsStage } from './stage.ts';

const channelOf = (universalId: string) => `svc:stream:event:${universalId}`;
const placeOf = (universalId: string) => partitionOf(channelOf(universalId), channelTopics.events.partitions);
/** Events whose channels are in one partition. */
const [ARCHIVED, OPEN, NEXT] = Array.from({ length: 60 }, (_, nth) => `evt_${nth}`).filter(
  (id) => placeOf(id) === placeOf('evt_0'),
) as [string, string, string];
const START = 1_900_000_000_000;

/** @param restarts continues from a snapshot before each record. */
function harness({ restarts = false } = {}) {
  const stage = driveStage(createChannelsStage());
  const at = (weeks: number) => ({ receivedAt: START + weeks * INACTIVE_MS });
  const before = () => {
    if (restarts) stage.restart();
  };
  const all = {
    stage,
    link(universalId: string, weeks: number) {
      before();
      const links = [aLink({ providerMarketId: `0x${universalId}` })];
      stage.feed(eventTopic, anEvent({ universalId, links, ...at(weeks) }), { key: universalId });
    },
    remove(universalId: string, weeks: number) {
      before();
      stage.feed(eventTopic, null, { key: universalId, ...at(weeks) });
    },
    spread(universalId: string, weeks: number, times = 1) {
      for (let time = 0; time < times; time += 1) {
        before();
        stage.feed(spreadTopic, aSpread({ universalId, ...at(weeks) }));
      }
    },
    /** Numbers of the frames on the channel of an event. */
    seqs: (universalId: string) =>
      stage
        .emittedTo(channelTopics.events)
        .flatMap(({ channel, seq }) => (channel === channelOf(universalId) ? [seq] : [])),
    known: () =>
      [stage.state.seqs.active, stage.state.seqs.inactive, stage.state.seqs.due].flatMap((map) => [...map.keys()]),
  };
  return all;
}

/** An archived event, an open and quiet one, and one that comes later; at the end the archived one comes again. */
function script(all: ReturnType<typeof harness>): void {
  all.link(ARCHIVED, 0);
  all.link(OPEN, 0);
  all.spread(ARCHIVED, 0, 5);
  all.spread(OPEN, 0, 2);
  all.remove(ARCHIVED, 1);
  for (const week of [2, 3, 4, 5]) all.link(NEXT, week);
  all.spread(NEXT, 5);
  all.spread(OPEN, 5, 2);
  all.link(ARCHIVED, 6);
  all.spread(ARCHIVED, 6, 2);
  all.spread(NEXT, 6);
}

describe('channels of an archived event', () => {
  it('lose their numbers, those of a quiet event do not, and new channels start above them', () => {
    const all = harness();
    all.link(ARCHIVED, 0);
    all.link(OPEN, 0);
    all.spread(ARCHIVED, 0, 5);
    all.spread(OPEN, 0, 2);
    all.remove(ARCHIVED, 1);
    expect(all.known()).toEqual([channelOf(ARCHIVED), channelOf(OPEN)]);
    for (const week of [2, 3, 4, 5]) all.link(OPEN, week);
    expect(all.known()).toEqual([channelOf(OPEN)]);
    all.spread(OPEN, 5);
    expect(all.seqs(OPEN)).toEqual([1, 2, 3]);
    all.spread(ARCHIVED, 5, 2);
    expect(all.seqs(ARCHIVED)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('get no number twice when the event comes back, and other channels get none that is too low', () => {
    const all = harness();
    script(all);
    expect([all.seqs(ARCHIVED), all.seqs(OPEN), all.seqs(NEXT)]).toEqual([
      [1, 2, 3, 4, 5, 6, 7],
      [1, 2, 3, 4],
      [6, 7],
    ]);
  });

  it('get the same numbers with a restart before every record', () => {
    const [inOne, inPieces] = [harness(), harness({ restarts: true })];
    script(inOne);
    script(inPieces);
    expect(inPieces.stage.outputs).toEqual(inOne.stage.outputs);
  });

  it('leave nothing in the state, whatever their number', () => {
    const all = harness();
    const sizes: number[] = [];
    for (let week = 0; week < 40; week += 1) {
      for (let nth = 0; nth < 50; nth += 1) {
        const id = `evt_${week}x${nth}`;
        all.link(id, week);
        all.spread(id, week);
        if (week > 0) all.remove(`evt_${week - 1}x${nth}`, week);
      }
      sizes.push(all.known().length);
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
    expect(all.stage.deadLetters).toEqual([]);
  });
});
