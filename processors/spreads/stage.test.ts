import { describe, expect, it } from 'vitest';
import { DecimalError } from '#schemas/domain/decimal';
import { bookTopics } from '#schemas/topics/normalised';
import { driveProfitable, driveSpreads, event, levels, link } from './spreads.fixture.ts';
import { createSpreadsStage } from './stage.ts';

describe('the spreads stage', () => {
  it('rejects a size that is not above zero', () => {
    expect(() => createSpreadsStage({ arbitrageSize: '0' })).toThrow(RangeError);
    expect(() => createSpreadsStage({ arbitrageSize: '1e2' })).toThrow(DecimalError);
  });

  it('emits nothing when an event comes again with the same legs', () => {
    const all = driveProfitable();
    expect(all.link(event({ lastSeenAt: 9000, status: 'closed' }))).toMatchObject({ heads: [], arbitrageHeads: [] });
  });

  it('ignores books of asset prices and removals of unknown events', () => {
    const all = driveSpreads();
    all.link(event({ links: [link('venue_a_outcome', { yesInstrument: 'BTC' }), link('venue_b')] }));
    const book = { provider: 'venue_a_perp', instrument: 'BTC', marketId: null, feed: 'f', receivedAt: 2000 };
    expect(
      all.probe.send(bookTopics.venue_a, 'BTC', {
        ...book,
        ts: 1,
        snapshot: true,
        bids: [],
        asks: levels([['1', '1']]),
      }),
    ).toEqual([]);
    expect(all.link(event({ universalId: 'evt_9', mergedInto: 'evt_1', links: [] })).heads).toEqual([null]);
    expect(all.end('b-unknown', 3000).heads).toEqual([]);
  });

  it('does not change its books when a frame is malformed', () => {
    const all = driveProfitable();
    expect(() => all.book('b-yes', 2000, [['0.5', '-1']], [], false)).toThrow('negative size');
    expect(all.tick(5000).arbitrages).toMatchObject([{ firstPrice: '0.5' }]);
  });

  it('continues unchanged after a restart', () => {
    const plain = driveProfitable();
    const restarted = driveProfitable();
    restarted.probe.restart();
    for (const all of [plain, restarted]) all.book('#70', 3000, [['0.57', '100']], [], false);
    expect(restarted.tick(5000)).toEqual(plain.tick(5000));
  });

  it('does not change an event whose resolved record is malformed', () => {
    const all = driveProfitable();
    const ended = event({ status: 'resolved', links: [link('venue_b', { takerFeeRate: 'free' })] });
    expect(() => all.link(ended)).toThrow();
    expect(all.tick(3000).arbitrages).toMatchObject([{ firstPrice: '0.5' }]);
  });
});
