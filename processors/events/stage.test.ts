import { describe, expect, it } from 'vitest';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { Market } from '#schemas/topics/normalised';
import { daily, harness, linkOf, NOON_ET, outcome, RESOLVED, RULES, START } from './events.fixture.ts';

const DAY_MS = 86_400_000;

describe('the events stage', () => {
  it('makes one event of the same question on two venues, sources named and confidence below one', () => {
    const { tell } = harness();
    const [alone] = tell(daily('0xa'));
    expect(alone).toMatchObject({
      canonicalName: 'BTC at or above 64,000 on 2031-03-12 16:00 UTC',
      kind: 'price_binary',
      underlying: 'BTC',
      threshold: '64000',
      op: 'gte',
      resolutionTime: NOON_ET,
      status: 'open',
      firstSeenAt: START,
    });
    const [both, ...others] = tell(outcome(7, { receivedAt: START + 10 }));
    expect(others).toEqual([]);
    expect(both!.universalId).toBe(alone!.universalId);
    expect(both!.links.map(({ provider }) => provider)).toEqual(['venue_a_outcome', 'venue_b']);
    const link = linkOf(both!, '#70');
    expect(link).toMatchObject({ used: true, polarity: 'same', yesInstrument: '#70', noInstrument: '#71' });
    expect(link.confidence).toBeGreaterThan(0.75);
    expect(link.confidence).toBeLessThan(1);
    expect(JSON.parse(link.evidence)).toMatchObject({
      op: 'at or above',
      differences: {
        sources: 'venue_a mark price against example exchange',
        equality: 'counts for one of the two',
      },
    });
    expect(both!.op).toBe('gte');
    expect(JSON.parse(linkOf(both!, '0xa').evidence)).toMatchObject({ op: 'above' });
  });

  it('links the opposite comparison inversely', () => {
    const { tell } = harness();
    tell(outcome(7));
    const [event] = tell(
      daily('0xb', {
        title: 'Will the price of Bitcoin be below $64,000 on March 12?',
        description: RULES.replace('higher', 'lower'),
      }),
    );
    expect(event!.op).toBe('gte');
    expect(linkOf(event!, '0xb')).toMatchObject({ polarity: 'inverse', used: true });
    expect(JSON.parse(linkOf(event!, '0xb').evidence).differences).not.toHaveProperty('equality');
  });

  it('links another minute of the same day without using it', () => {
    const { tell } = harness();
    tell(daily('0xa'));
    const [event] = tell(outcome(7, {}, '20310312-0600'));
    expect(linkOf(event!, '#70')).toMatchObject({ used: false });
    expect(linkOf(event!, '#70').confidence).toBeLessThan(0.75);
    expect(linkOf(event!, '0xa')).toMatchObject({ used: true });
  });

  it('sees the event from the minute in which most providers ask', () => {
    const { tell } = harness();
    tell(outcome(7, {}, '20310312-0600'));
    tell(daily('0xa'));
    const [event] = tell(outcome(8));
    expect(event!.links.map(({ providerMarketId, used }) => [providerMarketId, used])).toEqual([
      ['#70', false],
      ['#80', true],
      ['0xa', true],
    ]);
    expect(event!.resolutionTime).toBe(NOON_ET);
  });

  it.each([
    ['another threshold', outcome(7, {}, '20310312-1600', '64000.5')],
    ['another day', outcome(7, {}, '20310313-1600')],
    ['another underlying', outcome(7, { description: outcome(7).description.replace('BTC', 'ETH') })],
    [
      'a touch',
      daily('0xt', { title: 'Will Bitcoin reach $64,000 by March 12?', description: '', groupItemTitle: null }),
    ],
  ])('keeps %s apart', (_, market) => {
    const { tell, newest } = harness();
    tell(daily('0xa'));
    tell(market);
    expect(newest.size).toBe(2);
    expect([...newest.values()].every(({ links }) => links.length === 1)).toBe(true);
  });

  it('finds the same moment also where the days of the two zones differ', () => {
    const { tell } = harness();
    const evening = daily('0xa', {
      title: 'Will the price of Bitcoin be above $64,000 on March 12 at 9PM ET?',
      endTime: Date.UTC(2031, 2, 13, 1),
    });
    tell(evening);
    const [event] = tell(outcome(7, {}, '20310313-0100'));
    expect(event!.links).toHaveLength(2);
    expect(linkOf(event!, '#70').used).toBe(true);
  });

  it('gives a market that nothing is known of an event of its own', () => {
    const { tell } = harness();
    const [event] = tell(daily('0xz', { title: 'Will it rain?', groupTitle: null, groupItemTitle: null }));
    expect(event).toMatchObject({ canonicalName: 'Will it rain?', kind: null, threshold: null, op: null });
    expect(event!.links).toMatchObject([{ confidence: 1, source: 'catalog', used: true }]);
  });

  it('takes a market without instruments in, alone', () => {
    const { tell } = harness();
    tell(daily('0xa'));
    const [event] = tell(daily('0xn', { instruments: [], outcomes: [] }));
    expect(event!.links).toMatchObject([{ yesInstrument: '', noInstrument: null }]);
  });

  it('takes the instrument whose outcome is named yes', () => {
    const { tell } = harness();
    const [event] = tell(daily('0xa', { outcomes: ['No', 'Yes'] }));
    expect(event!.links[0]).toMatchObject({ yesInstrument: '0xa-no', noInstrument: '0xa-yes' });
  });

  it('merges two events that turn out to be one into the older, which the other names', () => {
    const { tell, newest } = harness();
    const [older] = tell(outcome(7));
    const [younger] = tell(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null, receivedAt: START + 1 }));
    expect(younger!.universalId).not.toBe(older!.universalId);
    const told = tell(daily('0xa', { receivedAt: START + 2 }));
    expect(told).toHaveLength(2);
    expect(newest.get(older!.universalId)!.links).toHaveLength(2);
    expect(newest.get(older!.universalId)).toMatchObject({ firstSeenAt: START, mergedInto: null });
    expect(newest.get(younger!.universalId)).toMatchObject({ mergedInto: older!.universalId, links: [] });
  });

  it('lets the older survive also when it is the one that was read anew', () => {
    const { tell, newest } = harness();
    const [older] = tell(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null }));
    const [younger] = tell(outcome(7, { receivedAt: START + 1 }));
    tell(daily('0xa', { receivedAt: START + 2 }));
    expect(newest.get(older!.universalId)!.links).toHaveLength(2);
    expect(newest.get(younger!.universalId)!.mergedInto).toBe(older!.universalId);
    // Who asks the same later joins the survivor.
    const [joined] = tell(outcome(8, { receivedAt: START + 3 }));
    expect(joined!.universalId).toBe(older!.universalId);
  });

  it('moves a market out whose question changed, under an id of its own', () => {
    const { tell, newest } = harness();
    const [event] = tell(daily('0xa'));
    tell(outcome(7));
    const told = tell(
      daily('0xa', {
        title: 'Will the price of Bitcoin be above $65,000 on March 12?',
        groupItemTitle: '65,000',
        receivedAt: START + 2,
      }),
    );
    expect(told).toHaveLength(2);
    expect(newest.get(event!.universalId)!.links.map(({ providerMarketId }) => providerMarketId)).toEqual(['#70']);
    const moved = told.find(({ universalId }) => universalId !== event!.universalId)!;
    expect(moved.links.map(({ providerMarketId }) => providerMarketId)).toEqual(['0xa']);
    expect(moved.threshold).toBe('65000');
    // And back again.
    tell(daily('0xa', { receivedAt: START + 3 }));
    expect(newest.get(event!.universalId)!.links).toHaveLength(2);
    expect(newest.get(moved.universalId)!.mergedInto).toBe(event!.universalId);
  });

  it('is found by newcomers also when the market that founded it has left', () => {
    const cut = (marketId: string, title = 'Will the Fed cut rates by 25 bps after the March 2031 meeting?') =>
      daily(marketId, { title, description: '', groupTitle: null, groupItemTitle: null });
    const { tell, newest } = harness();
    tell(cut('0xa'));
    const [event] = tell({ ...cut('#70'), provider: 'venue_a_outcome' });
    expect(event!.links).toHaveLength(2);
    tell(cut('0xa', 'Will the Fed cut rates by 50 bps after the March 2031 meeting?'));
    expect(newest.get(event!.universalId)!.links).toHaveLength(1);
    tell(cut('0xb'));
    expect(newest.get(event!.universalId)!.links).toHaveLength(2);
  });

  it('says nothing when nothing changed', () => {
    const { tell, clock } = harness();
    tell(daily('0xa'));
    clock(START + 1);
    expect(tell(daily('0xa', { receivedAt: START + 3_600_000 }))).toEqual([]);
    expect(clock(START + 3_600_001).reconciles).toEqual([]);
    expect(tell(daily('0xa', { takerFeeRate: '0', receivedAt: START + 3_600_002 }))).toMatchObject([
      { firstSeenAt: START, lastSeenAt: START + 3_600_002 },
    ]);
  });

  it('tells when a catalog last told a market of it that was new or changed, though nothing else is to be told', () => {
    const { tell, newest, clock } = harness();
    const { universalId } = tell(daily('0xa'))[0]!;
    const seen = () => newest.get(universalId)!.lastSeenAt;
    expect(tell(daily('0xa', { slug: 'bitcoin-noon', receivedAt: START + 10 }))).toHaveLength(1);
    expect(seen()).toBe(START + 10);
    tell(outcome(7, { receivedAt: START + 20 }));
    expect(seen()).toBe(START + 20);
    // Neither a catalog that says the same again nor the clock is a telling, nor is one of a market that leaves.
    expect(tell(outcome(7, { receivedAt: START + 30 }))).toEqual([]);
    expect(clock(START + 40).events).toEqual([]);
    const elsewhere = outcome(7, { receivedAt: START + 50 }, '20310312-1600', '70000');
    expect(tell(elsewhere)).toMatchObject([
      { universalId, lastSeenAt: START + 20 },
      { firstSeenAt: START + 50, lastSeenAt: START + 50 },
    ]);
  });

  it('goes by what the catalog calls decided, whichever venue it is of', () => {
    const { tell } = harness();
    const ofAnother: Partial<Market> = { provider: 'venue_x', closed: true };
    expect(tell(daily('0xa', ofAnother))).toMatchObject([{ status: 'closed' }]);
    expect(tell(daily('0xa', { ...ofAnother, resolved: true, receivedAt: START + 1 }))).toMatchObject([
      { status: 'resolved' },
    ]);
  });

  it.each<[Partial<Market>, string]>([
    [{}, 'Lions or Tigers?'],
    [{ name: 'Lions or Tigers? (the cup)' }, 'Lions or Tigers? (the cup)'],
    [{ title: '' }, 'Who wins?'],
    [{ title: '', description: '' }, '0xa'],
  ])('calls a question that it does not read as its catalog does: %j', (change, canonicalName) => {
    const { tell } = harness();
    const plain = { title: 'Lions or Tigers?', description: 'Who wins?', groupTitle: null, groupItemTitle: null };
    expect(tell(daily('0xa', { ...plain, ...change }))).toMatchObject([{ canonicalName }]);
  });

  it('closes an event at its deadline and resolves it when every catalog says that its market is decided', () => {
    const { tell, clock } = harness();
    tell(daily('0xa'));
    tell(outcome(7));
    expect(clock(NOON_ET - 1).events).toEqual([]);
    expect(clock(NOON_ET).events).toMatchObject([{ status: 'closed' }]);
    expect(clock(NOON_ET + 5000).events).toEqual([]);
    const settledA = { ...RESOLVED, receivedAt: NOON_ET + 6000 };
    expect(tell(outcome(7, settledA))).toMatchObject([{ status: 'closed', overAt: null }]);
    // The end of its trading decides nothing yet, but it is the end of the last one.
    const overAt = NOON_ET + 7000;
    expect(tell(daily('0xa', { closed: true, receivedAt: overAt }))).toMatchObject([{ status: 'closed', overAt }]);
    const resolved = { status: 'resolved', overAt };
    expect(tell(daily('0xa', { ...RESOLVED, receivedAt: NOON_ET + 8000 }))).toMatchObject([resolved]);
  });

  it('is resolved once every market is settled, and no longer when a settlement is taken back', () => {
    const { tell, clock, resolve } = harness();
    tell(daily('0xa'));
    tell(outcome(7));
    clock(NOON_ET);
    expect(resolve(outcome(7))).toMatchObject([{ status: 'closed' }]);
    const onChain = { id: 'venue_b:0xt:3', status: 'pending' as const };
    expect(resolve(daily('0xa'), onChain)).toMatchObject([{ status: 'resolved', receivedAt: NOON_ET + 1 }]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'confirmed' })).toEqual([]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'reverted' })).toMatchObject([{ status: 'closed' }]);
    expect(resolve(daily('0xa'), { id: 'venue_b:0xt:4', status: 'pending' })).toMatchObject([{ status: 'resolved' }]);
    // The block that was left is told late: what holds now stays.
    expect(resolve(daily('0xa'), { ...onChain, status: 'reverted' })).toEqual([]);
    // A catalog that still lists it as open takes nothing back.
    const late = daily('0xa', {
      title: 'Will the price of Bitcoin be above $64,000 on March 12',
      receivedAt: NOON_ET + 9,
    });
    expect(tell(late).every(({ status }) => status === 'resolved')).toBe(true);
  });

  it('emits the event again when one of its markets is closed or resolved, and when a resolution is reverted', () => {
    const { tell, resolve, probe } = harness();
    const onChain = { id: 'venue_b:0xt:3', status: 'pending' as const };
    tell(daily('0xa'));
    const statesOf = (events: UniversalEvent[]) =>
      events.map(({ status, links }) => [status, ...links.map(({ marketState }) => marketState)]);
    expect(statesOf(tell(outcome(7)))).toEqual([['open', 'open', 'open']]);
    expect(statesOf(resolve(daily('0xa'), onChain))).toEqual([['open', 'open', 'resolved']]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'confirmed' })).toEqual([]);
    probe.restart();
    expect(statesOf(resolve(daily('0xa'), { ...onChain, status: 'reverted' }))).toEqual([['open', 'open', 'open']]);
    const closed = { closed: true, receivedAt: START + 1 };
    expect(statesOf(tell(daily('0xa', closed)))).toEqual([['open', 'open', 'closed']]);
    expect(statesOf(resolve(daily('0xa'), onChain))).toEqual([['open', 'open', 'resolved']]);
    // The catalog has closed it all the same.
    expect(statesOf(resolve(daily('0xa'), { ...onChain, status: 'reverted' }))).toEqual([['open', 'open', 'closed']]);
    expect(statesOf(tell(daily('0xa', { receivedAt: START + 2 })))).toEqual([['open', 'open', 'open']]);
    const decided = { ...RESOLVED, receivedAt: START + 3 };
    expect(statesOf(tell(outcome(7, decided)))).toEqual([['open', 'resolved', 'open']]);
    expect(statesOf(resolve(daily('0xa'), onChain))).toEqual([['resolved', 'resolved', 'resolved']]);
  });

  it('is resolved also where the resolution comes before its market, unless that is taken back', () => {
    const { tell, resolve, probe } = harness();
    const onChain = { id: 'venue_b:0xt:3', status: 'pending' as const };
    expect(resolve(daily('0xa'), onChain)).toEqual([]);
    expect(resolve(daily('0xb'), onChain)).toEqual([]);
    expect(resolve(daily('0xb'), { ...onChain, status: 'reverted' })).toEqual([]);
    probe.restart();
    expect(tell(daily('0xa'))).toMatchObject([{ status: 'resolved' }]);
    expect(tell(daily('0xb', { title: 'Will it rain?', groupTitle: null, groupItemTitle: null }))).toMatchObject([
      { status: 'open' },
    ]);
    expect(resolve(daily('0xa'), { ...onChain, status: 'reverted' })).toMatchObject([{ status: 'open' }]);
  });

  it('keeps an event that came resolved for 90 days after its question was decided', () => {
    const { tell, clock } = harness();
    const kept = 90 * DAY_MS;
    const came = NOON_ET + kept - 1;
    const told = (receivedAt: number) => tell(daily('0xa', { ...RESOLVED, slug: String(receivedAt), receivedAt }));
    expect(told(came)).toMatchObject([{ status: 'resolved', firstSeenAt: came }]);
    clock(NOON_ET + kept, true);
    // The event that is known, not one that is founded anew.
    expect(told(NOON_ET + kept + 1)).toMatchObject([{ firstSeenAt: came, lastSeenAt: NOON_ET + kept + 1 }]);
    clock(NOON_ET + kept + DAY_MS, true);
    const again = NOON_ET + kept + DAY_MS + 1;
    expect(told(again)).toMatchObject([{ firstSeenAt: again }]);
  });

  it('forgets an event 90 days after it was over, with what was merged into it, and knows open ones for good', () => {
    const { tell, clock } = harness();
    const later = NOON_ET + 90 * DAY_MS;
    const [open] = tell(daily('0xopen', { title: 'Will it rain?', groupTitle: null, groupItemTitle: null }));
    tell(outcome(7));
    const [younger] = tell(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null }));
    tell(daily('0xa', { ...RESOLVED, receivedAt: NOON_ET }));
    const [resolved] = tell(outcome(7, { ...RESOLVED, receivedAt: NOON_ET }));
    expect(resolved!.status).toBe('resolved');
    expect(clock(later, true).removed).toEqual([]);
    expect(clock(later + DAY_MS, true).removed).toEqual([resolved!.universalId, younger!.universalId]);
    expect(tell(outcome(7, { ...RESOLVED, receivedAt: later + DAY_MS + 1 }))).toMatchObject([
      { universalId: resolved!.universalId, firstSeenAt: later + DAY_MS + 1 },
    ]);
    const [again] = tell(
      daily('0xopen', {
        title: 'Will it snow?',
        groupTitle: null,
        groupItemTitle: null,
        receivedAt: later + DAY_MS + 2,
      }),
    );
    expect(again).toMatchObject({ universalId: open!.universalId, firstSeenAt: START });
  });

  it('counts the markets that were new or changed in a pass, which ends at the next clock mark', () => {
    const { tell, clock } = harness();
    expect(clock(START).reconciles).toEqual([]);
    tell(daily('0xa'));
    tell(daily('0xa', { active: false }));
    tell(outcome(7));
    expect(clock(START + 5000).reconciles).toEqual([{ receivedAt: START + 5000, ingested: 2 }]);
    tell(outcome(7));
    expect(clock(START + 10_000).reconciles).toEqual([]);
  });

  it('goes on the same after a restart', () => {
    const run = (restarts: boolean) => {
      const { tell, clock, probe } = harness();
      const said: unknown[] = [];
      for (const market of [
        daily('0xa'),
        outcome(7),
        daily('0xb', { title: 'x' }),
        daily('0xb', { receivedAt: START + 1 }),
      ]) {
        if (restarts) probe.restart();
        said.push(tell(market));
      }
      if (restarts) probe.restart();
      said.push(clock(NOON_ET));
      return said;
    };
    expect(run(true)).toEqual(run(false));
  });

  it('keeps events small, whatever a venue lists', () => {
    const { tell, newest } = harness();
    for (let number = 1; number <= 120; number += 1) tell(outcome(number));
    const sizes = [...newest.values()].map(({ links }) => links.length);
    expect(sizes).toEqual([50, 50, 20]);
  });
});
