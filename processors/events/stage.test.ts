import { describe, expect, it } from 'vitest';
import type { Market } from '#schemas/topics/normalised';
import { daily, harness, linkOf, NOON_ET, outcome, RULES, START, titled } from './events.fixture.ts';

describe('the events stage', () => {
  it('creates one event for the same question on two venues, with both sources and confidence below one', () => {
    const { send } = harness();
    const [alone] = send(daily('0xa'));
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
    const [both, ...others] = send(outcome(7, { receivedAt: START + 10 }));
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

  it('links the opposite comparison with inverse polarity', () => {
    const { send } = harness();
    send(outcome(7));
    const [event] = send(
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
    const { send } = harness();
    send(daily('0xa'));
    const [event] = send(outcome(7, {}, '20310312-0600'));
    expect(linkOf(event!, '#70')).toMatchObject({ used: false });
    expect(linkOf(event!, '#70').confidence).toBeLessThan(0.75);
    expect(linkOf(event!, '0xa')).toMatchObject({ used: true });
  });

  it('uses the minute for which most providers ask as the reference of the event', () => {
    const { send } = harness();
    send(outcome(7, {}, '20310312-0600'));
    send(daily('0xa'));
    const [event] = send(outcome(8));
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
  ])('does not link %s', (_, market) => {
    const { send, newest } = harness();
    send(daily('0xa'));
    send(market);
    expect(newest.size).toBe(2);
    expect([...newest.values()].every(({ links }) => links.length === 1)).toBe(true);
  });

  it('finds the same moment also if the days of the two zones differ', () => {
    const { send } = harness();
    const evening = daily('0xa', {
      title: 'Will the price of Bitcoin be above $64,000 on March 12 at 9PM ET?',
      endTime: Date.UTC(2031, 2, 13, 1),
    });
    send(evening);
    const [event] = send(outcome(7, {}, '20310313-0100'));
    expect(event!.links).toHaveLength(2);
    expect(linkOf(event!, '#70').used).toBe(true);
  });

  it('creates a separate event for a market that is not recognised', () => {
    const { send } = harness();
    const [event] = send(titled('0xz', 'Will it rain?'));
    expect(event).toMatchObject({ canonicalName: 'Will it rain?', kind: null, threshold: null, op: null });
    expect(event!.links).toMatchObject([{ confidence: 1, source: 'catalog', used: true }]);
  });

  it('accepts a market without instruments and does not link it', () => {
    const { send } = harness();
    send(daily('0xa'));
    const [event] = send(daily('0xn', { instruments: [], outcomes: [] }));
    expect(event!.links).toMatchObject([{ yesInstrument: '', noInstrument: null }]);
  });

  it('uses the instrument whose outcome is named yes', () => {
    const { send } = harness();
    const [event] = send(daily('0xa', { outcomes: ['No', 'Yes'] }));
    expect(event!.links[0]).toMatchObject({ yesInstrument: '0xa-no', noInstrument: '0xa-yes' });
  });

  it('merges two events that turn out to be the same into the older, which the other names', () => {
    const { send, newest } = harness();
    const [older] = send(outcome(7));
    const [younger] = send(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null, receivedAt: START + 1 }));
    expect(younger!.universalId).not.toBe(older!.universalId);
    const emitted = send(daily('0xa', { receivedAt: START + 2 }));
    expect(emitted).toHaveLength(2);
    expect(newest.get(older!.universalId)!.links).toHaveLength(2);
    expect(newest.get(older!.universalId)).toMatchObject({ firstSeenAt: START, mergedInto: null });
    expect(newest.get(younger!.universalId)).toMatchObject({ mergedInto: older!.universalId, links: [] });
  });

  it('keeps the older event also when its question is the one that changed', () => {
    const { send, newest } = harness();
    const [older] = send(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null }));
    const [younger] = send(outcome(7, { receivedAt: START + 1 }));
    send(daily('0xa', { receivedAt: START + 2 }));
    expect(newest.get(older!.universalId)!.links).toHaveLength(2);
    expect(newest.get(younger!.universalId)!.mergedInto).toBe(older!.universalId);
    // A later market with the same question joins the survivor.
    const [joined] = send(outcome(8, { receivedAt: START + 3 }));
    expect(joined!.universalId).toBe(older!.universalId);
  });

  it('moves a market whose question changed to an event with its own id', () => {
    const { send, newest } = harness();
    const [event] = send(daily('0xa'));
    send(outcome(7));
    const emitted = send(
      daily('0xa', {
        title: 'Will the price of Bitcoin be above $65,000 on March 12?',
        groupItemTitle: '65,000',
        receivedAt: START + 2,
      }),
    );
    expect(emitted).toHaveLength(2);
    expect(newest.get(event!.universalId)!.links.map(({ providerMarketId }) => providerMarketId)).toEqual(['#70']);
    const moved = emitted.find(({ universalId }) => universalId !== event!.universalId)!;
    expect(moved.links.map(({ providerMarketId }) => providerMarketId)).toEqual(['0xa']);
    expect(moved.threshold).toBe('65000');
    // And back again.
    send(daily('0xa', { receivedAt: START + 3 }));
    expect(newest.get(event!.universalId)!.links).toHaveLength(2);
    expect(newest.get(moved.universalId)!.mergedInto).toBe(event!.universalId);
  });

  it('finds an event for new markets also when the market that created it has left', () => {
    const cut = (marketId: string, title = 'Will the Fed cut rates by 25 bps after the March 2031 meeting?') =>
      titled(marketId, title, { description: '' });
    const { send, newest } = harness();
    send(cut('0xa'));
    const [event] = send({ ...cut('#70'), provider: 'venue_a_outcome' });
    expect(event!.links).toHaveLength(2);
    send(cut('0xa', 'Will the Fed cut rates by 50 bps after the March 2031 meeting?'));
    expect(newest.get(event!.universalId)!.links).toHaveLength(1);
    send(cut('0xb'));
    expect(newest.get(event!.universalId)!.links).toHaveLength(2);
  });

  it('emits nothing when nothing changed', () => {
    const { send, clock } = harness();
    send(daily('0xa'));
    clock(START + 1);
    expect(send(daily('0xa', { receivedAt: START + 3_600_000 }))).toEqual([]);
    expect(clock(START + 3_600_001).reconciles).toEqual([]);
    expect(send(daily('0xa', { takerFeeRate: '0', receivedAt: START + 3_600_002 }))).toMatchObject([
      { firstSeenAt: START, lastSeenAt: START + 3_600_002 },
    ]);
  });

  it('emits an event whose only change is the time of its newest catalog record', () => {
    const { send, newest, clock } = harness();
    const { universalId } = send(daily('0xa'))[0]!;
    const seen = () => newest.get(universalId)!.lastSeenAt;
    expect(send(daily('0xa', { slug: 'bitcoin-noon', receivedAt: START + 10 }))).toHaveLength(1);
    expect(seen()).toBe(START + 10);
    send(outcome(7, { receivedAt: START + 20 }));
    expect(seen()).toBe(START + 20);
    // An unchanged catalog record, the clock and a market that leaves do not change that time.
    expect(send(outcome(7, { receivedAt: START + 30 }))).toEqual([]);
    expect(clock(START + 40).events).toEqual([]);
    const elsewhere = outcome(7, { receivedAt: START + 50 }, '20310312-1600', '70000');
    expect(send(elsewhere)).toMatchObject([
      { universalId, lastSeenAt: START + 20 },
      { firstSeenAt: START + 50, lastSeenAt: START + 50 },
    ]);
  });

  it.each<[Partial<Market>, string]>([
    [{}, 'Lions or Tigers?'],
    [{ name: 'Lions or Tigers? (the cup)' }, 'Lions or Tigers? (the cup)'],
    [{ title: '' }, 'Who wins?'],
    [{ title: '', description: '' }, '0xa'],
  ])('names an unrecognised question like its catalog: %j', (change, canonicalName) => {
    const { send } = harness();
    const market = titled('0xa', 'Lions or Tigers?', { description: 'Who wins?', ...change });
    expect(send(market)).toMatchObject([{ canonicalName }]);
  });

  it('counts the markets that were new or changed in a pass, which ends at the next clock mark', () => {
    const { send, clock } = harness();
    expect(clock(START).reconciles).toEqual([]);
    send(daily('0xa'));
    send(daily('0xa', { active: false }));
    send(outcome(7));
    expect(clock(START + 5000).reconciles).toEqual([{ receivedAt: START + 5000, ingested: 2 }]);
    send(outcome(7));
    expect(clock(START + 10_000).reconciles).toEqual([]);
  });

  it('continues unchanged after a restart', () => {
    const run = (restarts: boolean) => {
      const { send, clock, probe } = harness();
      const outputs: unknown[] = [];
      for (const market of [
        daily('0xa'),
        outcome(7),
        daily('0xb', { title: 'x' }),
        daily('0xb', { receivedAt: START + 1 }),
      ]) {
        if (restarts) probe.restart();
        outputs.push(send(market));
      }
      if (restarts) probe.restart();
      outputs.push(clock(NOON_ET));
      return outputs;
    };
    expect(run(true)).toEqual(run(false));
  });

  it('keeps events small, whatever a venue lists', () => {
    const { send, newest } = harness();
    for (let number = 1; number <= 120; number += 1) send(outcome(number));
    const sizes = [...newest.values()].map(({ links }) => links.length);
    expect(sizes).toEqual([50, 50, 20]);
  });
});
