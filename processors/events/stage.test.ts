import { describe, expect, it } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, reconcileTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { probeStage, saidOn } from '../testing/stage-probe.fixture.ts';
import { createEventsStage } from './stage.ts';

const START = Date.UTC(2031, 2, 1);
const NOON_ET = Date.UTC(2031, 2, 12, 16);

const RULES =
  'Resolves "Yes" if the one-minute candle for BTC/USDT at 12:00 PM ET on that day closes higher than the threshold. The resolution source is Example Exchange, specifically its candles.';

/** A daily price market of venue_b. */
function daily(marketId: string, changes: Partial<Market> = {}): Market {
  return {
    provider: 'venue_b',
    marketId,
    receivedAt: START,
    title: 'Will the price of Bitcoin be above $64,000 on March 12?',
    description: RULES,
    groupTitle: 'Bitcoin above ___ on March 12?',
    groupItemTitle: '64,000',
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: NOON_ET,
    instruments: [`${marketId}-yes`, `${marketId}-no`],
    outcomes: ['Yes', 'No'],
    active: true,
    closed: false,
    takerFeeRate: '0.07',
    fields: '{}',
    ...changes,
  };
}

/** A recurring outcome of venue_a. */
function outcome(number: number, changes: Partial<Market> = {}, expiry = '20310312-1600', target = '64000'): Market {
  return {
    ...daily(`#${number}0`),
    provider: 'venue_a_outcome',
    title: 'Recurring',
    description: `class:priceBinary|underlying:BTC|expiry:${expiry}|targetPrice:${target}|period:1d`,
    groupTitle: null,
    groupItemTitle: null,
    instruments: [`#${number}0`, `#${number}1`],
    takerFeeRate: '0.0007',
    ...changes,
  };
}

function harness() {
  const probe = probeStage(createEventsStage());
  const newest = new Map<string, UniversalEvent>();
  const note = (outputs: DrivenOutput[]) => {
    const events = saidOn(outputs, eventTopic);
    for (const event of events) newest.set(event.universalId, event);
    return events;
  };
  return {
    probe,
    newest,
    tell: (market: Market) =>
      note(
        probe.send(
          market.provider === 'venue_b' ? marketTopics.venue_b : marketTopics.venue_a,
          `${market.provider}:${market.marketId}`,
          market,
        ),
      ),
    clock: (receivedAt: number, day = false) => {
      const outputs = probe.send(clockTopic, 'clock', { receivedAt, tick: true, hour: day, day });
      return { events: note(outputs), reconciles: saidOn(outputs, reconcileTopic) };
    },
  };
}

const linkOf = (event: UniversalEvent, marketId: string) =>
  event.links.find(({ providerMarketId }) => providerMarketId === marketId)!;

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
    expect(JSON.parse(link.evidence).differences).toMatchObject({
      sources: 'venue_a mark price against example exchange',
      equality: 'counts for one of the two',
    });
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

  it('says nothing when nothing changed, and refreshes lastSeenAt at most hourly', () => {
    const { tell } = harness();
    tell(daily('0xa'));
    expect(tell(daily('0xa', { receivedAt: START + 3_599_999 }))).toEqual([]);
    expect(tell(daily('0xa', { receivedAt: START + 3_600_000 }))).toMatchObject([{ lastSeenAt: START + 3_600_000 }]);
    expect(tell(daily('0xa', { receivedAt: START + 3_600_001 }))).toEqual([]);
  });

  it('closes an event at its deadline and resolves it when every market is over', () => {
    const { tell, clock } = harness();
    tell(daily('0xa'));
    tell(outcome(7));
    expect(clock(NOON_ET - 1).events).toEqual([]);
    expect(clock(NOON_ET).events).toMatchObject([{ status: 'closed' }]);
    expect(clock(NOON_ET + 5000).events).toEqual([]);
    expect(tell(outcome(7, { closed: true, receivedAt: NOON_ET + 6000 }))).toEqual([]);
    expect(tell(daily('0xa', { closed: true, receivedAt: NOON_ET + 7000 }))).toMatchObject([{ status: 'resolved' }]);
  });

  it('forgets an event 90 days after it was resolved, with what was merged into it, and knows open ones for good', () => {
    const { tell, clock } = harness();
    const later = START + 90 * 86_400_000;
    const [open] = tell(daily('0xopen', { title: 'Will it rain?', groupTitle: null, groupItemTitle: null }));
    tell(outcome(7));
    tell(daily('0xa', { title: 'Bitcoin on March 12', groupTitle: null }));
    tell(daily('0xa', { closed: true }));
    const [resolved] = tell(outcome(7, { closed: true }));
    expect(resolved!.status).toBe('resolved');
    clock(later, true);
    expect(tell(outcome(7, { closed: true, receivedAt: later + 1 }))).toMatchObject([{ firstSeenAt: START }]);
    clock(later + 86_400_000, true);
    expect(tell(outcome(7, { closed: true, receivedAt: later + 86_400_001 }))).toMatchObject([
      { universalId: resolved!.universalId, firstSeenAt: later + 86_400_001 },
    ]);
    const [again] = tell(
      daily('0xopen', {
        title: 'Will it snow?',
        groupTitle: null,
        groupItemTitle: null,
        receivedAt: later + 86_400_002,
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
    expect(clock(START + 10_000).reconciles).toEqual([]);
    tell(outcome(7));
    expect(clock(START + 15_000).reconciles).toEqual([{ receivedAt: START + 15_000, ingested: 0 }]);
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
