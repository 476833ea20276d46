import { expect, it } from 'vitest';
import { channelTopics } from '#schemas/topics/channels';
import { INACTIVE_MS } from '../../../shared/channel-seqs.ts';
import { bookOf, driveVenueA } from './venue-a.fixture.ts';

it('the frame numbers of a coin are removed after it is delisted, and never issued again', () => {
  const venue = driveVenueA();
  const list = (delisted: boolean, at: number) =>
    venue.answer(
      { type: 'meta' },
      { universe: [{ name: 'OLD', szDecimals: 3, maxLeverage: 20, isDelisted: delisted }] },
      at,
    );
  const seqs = () => venue.stage.emittedTo(channelTopics.venue_a).map(({ seq }) => seq);
  const book = (weeks: number) => venue.frame('l2Book', bookOf('OLD', [], []), weeks * INACTIVE_MS);
  list(false, 0);
  for (const week of [0, 0, 0]) book(week);
  for (const week of [1, 2, 3]) venue.clock(week * INACTIVE_MS);
  book(3);
  expect(seqs()).toEqual([1, 2, 3, 4]);
  list(true, 3 * INACTIVE_MS);
  for (const week of [4, 5, 6]) venue.clock(week * INACTIVE_MS);
  venue.stage.restart();
  const { active, inactive, due, floors } = venue.stage.state.channelSeqs;
  expect([active.size + inactive.size + due.size, Math.max(...floors)]).toEqual([0, 4]);
  book(6);
  expect(seqs()).toEqual([1, 2, 3, 4, 5]);
});
