import { describe, expect, it } from 'vitest';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { Market } from '#schemas/topics/normalised';
import { daily, harness, NOON_ET, outcome, RESOLVED, START, titled } from './events.fixture.ts';

const DAY_MS = 86_400_000;
/** A resolution on the chain of venue_b. */
const onChain = { id: 'venue_b:0xt:3', status: 'pending' } as const;

describe('the progress of an event', () => {
  it('uses the resolved flag of the catalog for every venue', () => {
    const { send } = harness();
    const ofAnother: Partial<Market> = { provider: 'venue_x', closed: true };
    expect(send(daily('0xa', ofAnother))).toMatchObject([{ status: 'closed' }]);
    expect(send(daily('0xa', { ...ofAnother, resolved: true, receivedAt: START + 1 }))).toMatchObject([
      { status: 'resolved' },
    ]);
  });

  it('closes an event at its deadline and resolves it when every catalog lists its market as resolved', () => {
    const { send, clock } = harness();
    send(daily('0xa'));
    send(outcome(7));
    expect(clock(NOON_ET - 1).events).toEqual([]);
    expect(clock(NOON_ET).events).toMatchObject([{ status: 'closed' }]);
    expect(clock(NOON_ET + 5000).events).toEqual([]);
    const settledA = { ...RESOLVED, receivedAt: NOON_ET + 6000 };
    expect(send(outcome(7, settledA))).toMatchObject([{ status: 'closed', overAt: null }]);
    // The end of trading states no outcome, but it is that of the last open market.
    const overAt = NOON_ET + 7000;
    expect(send(daily('0xa', { closed: true, receivedAt: overAt }))).toMatchObject([{ status: 'closed', overAt }]);
    const resolved = { status: 'resolved', overAt };
    expect(send(daily('0xa', { ...RESOLVED, receivedAt: NOON_ET + 8000 }))).toMatchObject([resolved]);
  });

  it('resolves an event once every market is settled, and not any more when a settlement is reverted', () => {
    const { send, clock, resolve } = harness();
    send(daily('0xa'));
    send(outcome(7));
    clock(NOON_ET);
    expect(resolve(outcome(7))).toMatchObject([{ status: 'closed' }]);
    expect(resolve(daily('0xa'), onChain)).toMatchObject([{ status: 'resolved', receivedAt: NOON_ET + 1 }]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'confirmed' })).toEqual([]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'reverted' })).toMatchObject([{ status: 'closed' }]);
    expect(resolve(daily('0xa'), { id: 'venue_b:0xt:4', status: 'pending' })).toMatchObject([{ status: 'resolved' }]);
    // The reversal of an older resolution comes late: the current one stays.
    expect(resolve(daily('0xa'), { ...onChain, status: 'reverted' })).toEqual([]);
    // A catalog that still lists it as open changes nothing.
    const late = daily('0xa', {
      title: 'Will the price of Bitcoin be above $64,000 on March 12',
      receivedAt: NOON_ET + 9,
    });
    expect(send(late).every(({ status }) => status === 'resolved')).toBe(true);
  });

  it('emits the event again when one of its markets is closed or resolved, and when a resolution is reverted', () => {
    const { send, resolve, probe } = harness();
    send(daily('0xa'));
    const statesOf = (events: UniversalEvent[]) =>
      events.map(({ status, links }) => [status, ...links.map(({ marketState }) => marketState)]);
    expect(statesOf(send(outcome(7)))).toEqual([['open', 'open', 'open']]);
    expect(statesOf(resolve(daily('0xa'), onChain))).toEqual([['open', 'open', 'resolved']]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'confirmed' })).toEqual([]);
    probe.restart();
    expect(statesOf(resolve(daily('0xa'), { ...onChain, status: 'reverted' }))).toEqual([['open', 'open', 'open']]);
    const closed = { closed: true, receivedAt: START + 1 };
    expect(statesOf(send(daily('0xa', closed)))).toEqual([['open', 'open', 'closed']]);
    expect(statesOf(resolve(daily('0xa'), onChain))).toEqual([['open', 'open', 'resolved']]);
    // The catalog lists it as closed anyway.
    expect(statesOf(resolve(daily('0xa'), { ...onChain, status: 'reverted' }))).toEqual([['open', 'open', 'closed']]);
    expect(statesOf(send(daily('0xa', { receivedAt: START + 2 })))).toEqual([['open', 'open', 'open']]);
    const resolved = { ...RESOLVED, receivedAt: START + 3 };
    expect(statesOf(send(outcome(7, resolved)))).toEqual([['open', 'resolved', 'open']]);
    expect(statesOf(resolve(daily('0xa'), onChain))).toEqual([['resolved', 'resolved', 'resolved']]);
  });

  it('resolves an event also if the resolution comes before its market, unless that is reverted', () => {
    const { send, resolve, probe } = harness();
    expect(resolve(daily('0xa'), onChain)).toEqual([]);
    expect(resolve(daily('0xb'), onChain)).toEqual([]);
    expect(resolve(daily('0xb'), { ...onChain, status: 'reverted' })).toEqual([]);
    probe.restart();
    expect(send(daily('0xa'))).toMatchObject([{ status: 'resolved' }]);
    expect(send(titled('0xb', 'Will it rain?'))).toMatchObject([{ status: 'open' }]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'reverted' })).toMatchObject([{ status: 'open' }]);
  });

  it('retains an event that was resolved when first seen for 90 days after its resolution time', () => {
    const { send, clock } = harness();
    const retention = 90 * DAY_MS;
    const came = NOON_ET + retention - 1;
    const sendResolved = (receivedAt: number) =>
      send(daily('0xa', { ...RESOLVED, slug: String(receivedAt), receivedAt }));
    expect(sendResolved(came)).toMatchObject([{ status: 'resolved', firstSeenAt: came }]);
    clock(NOON_ET + retention, true);
    // It is the known event, not a new one.
    expect(sendResolved(NOON_ET + retention + 1)).toMatchObject([
      { firstSeenAt: came, lastSeenAt: NOON_ET + retention + 1 },
    ]);
    clock(NOON_ET + retention + DAY_MS, true);
    const again = NOON_ET + retention + DAY_MS + 1;
    expect(sendResolved(again)).toMatchObject([{ firstSeenAt: again }]);
  });

  it('removes an event 90 days after it was closed, with the events merged into it, and never an open one', () => {
    const { send, clock } = harness();
    const later = NOON_ET + 90 * DAY_MS;
    const [open] = send(titled('0xopen', 'Will it rain?'));
    send(outcome(7));
    const [younger] = send(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null }));
    send(daily('0xa', { ...RESOLVED, receivedAt: NOON_ET }));
    const [resolved] = send(outcome(7, { ...RESOLVED, receivedAt: NOON_ET }));
    expect(resolved!.status).toBe('resolved');
    expect(clock(later, true).removed).toEqual([]);
    expect(clock(later + DAY_MS, true).removed).toEqual([resolved!.universalId, younger!.universalId]);
    expect(send(outcome(7, { ...RESOLVED, receivedAt: later + DAY_MS + 1 }))).toMatchObject([
      { universalId: resolved!.universalId, firstSeenAt: later + DAY_MS + 1 },
    ]);
    const [again] = send(titled('0xopen', 'Will it snow?', { receivedAt: later + DAY_MS + 2 }));
    expect(again).toMatchObject({ universalId: open!.universalId, firstSeenAt: START });
  });
});
