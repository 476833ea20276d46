import { describe, expect, it } from 'vitest';
import { aMarket } from '#schemas/testing/records.fixture';
import type { Market } from '#schemas/topics/normalised';
import { type AnyRecord, fill, header, play, raw } from './venue-b.fixture.ts';

const AT = 1_700_000_000_000;
const id = (name: string) => `0x${name.repeat(64)}`;
const gamma = (data: unknown) => raw('gamma', AT, data);
const clob = (data: unknown) => raw('clob', AT, data);

const MARKET = {
  id: '900001',
  question: 'Will the bridge open by June?',
  conditionId: id('A'),
  questionID: id('q'),
  slug: 'bridge-by-june',
  description: 'Resolves to Yes if it opens.',
  resolutionSource: '',
  endDate: '2026-06-30T12:00:00Z',
  outcomes: '["Yes", "No"]',
  clobTokenIds: '["11", "22"]',
  outcomePrices: '["0.4", "0.6"]',
  groupItemTitle: 'June',
  active: true,
  closed: false,
  archived: false,
  acceptingOrders: true,
  volume: '1000.5',
  negRisk: false,
  feesEnabled: true,
  feeSchedule: { rate: 0.05, exponent: 1 },
};
const EVENT = { id: 77, slug: 'bridge', title: 'When will the bridge open?', tags: [{ slug: 'cities' }], series: [] };
const CLOB_MARKET = {
  condition_id: id('a'),
  question_id: id('q'),
  question: 'Will the bridge open by june?',
  market_slug: 'bridge-by-june',
  description: 'Resolves to Yes if it opens. ',
  end_date_iso: '2026-06-30T00:00:00Z',
  tokens: [
    { token_id: '11', outcome: 'Yes', price: 0.4 },
    { token_id: '22', outcome: 'No', price: 0.6 },
  ],
  active: true,
  closed: false,
  accepting_orders: true,
  neg_risk: false,
};
const SHAPES: [string, unknown][] = [
  ['a list of events', [{ ...EVENT, markets: [MARKET] }]],
  ['a page of events', { events: [{ ...EVENT, markets: [MARKET] }], next_cursor: 'x' }],
  ['one event', { ...EVENT, markets: [MARKET] }],
  ['a search', { events: [{ ...EVENT, markets: [MARKET] }], tags: [{ slug: 'cities' }], profiles: [] }],
  ['a list of markets', [{ ...MARKET, events: [EVENT] }]],
  ['a page of markets', { markets: [{ ...MARKET, events: [EVENT] }], next_cursor: 'x' }],
  ['one market', { ...MARKET, events: [EVENT] }],
  ['one market with tags of its own', { ...MARKET, events: [{ ...EVENT, tags: undefined }], tags: EVENT.tags }],
];
const last = (records: AnyRecord[]): Market | undefined => play(records).markets.at(-1);

describe('a market of gamma', () => {
  it.each(SHAPES)('is the same from %s', (_, answer) => {
    expect(play([gamma(answer)]).markets).toEqual([
      aMarket({
        marketId: id('a'),
        receivedAt: AT,
        title: 'Will the bridge open by June?',
        description: 'Resolves to Yes if it opens.',
        groupTitle: 'When will the bridge open?',
        groupItemTitle: 'June',
        slug: 'bridge-by-june',
        endTime: Date.UTC(2026, 5, 30, 12),
        instruments: ['11', '22'],
        takerFeeRate: '0.05',
        fields: JSON.stringify({
          eventId: '77',
          eventSlug: 'bridge',
          gammaId: '900001',
          negRisk: false,
          questionID: id('q'),
          tags: ['cities'],
        }),
      }),
    ]);
  });

  it('is emitted again only when one of its fields changed', () => {
    const again = SHAPES.map(([, answer]) => gamma(answer));
    const moved = gamma({ ...MARKET, volume: '2000', outcomePrices: '["0.5","0.5"]', bestBid: 0.5 });
    expect(play([...again, moved]).markets).toHaveLength(1);
    expect(
      play([...again, gamma({ ...MARKET, closed: true })]).markets.map(({ closed, active }) => [closed, active]),
    ).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('retains fields that an answer lacks', () => {
    const [full] = play([gamma(SHAPES[0]![1])]).markets;
    const sparse = gamma({ conditionId: MARKET.conditionId, groupItemTitle: 'June 30' });
    expect(last([gamma(SHAPES[0]![1]), sparse])).toEqual({ ...full, groupItemTitle: 'June 30' });
  });

  it('is emitted with empty fields if only its id is known', () => {
    expect(last([gamma({ conditionId: id('b') })])).toEqual(
      aMarket({ marketId: id('b'), receivedAt: AT, instruments: [], outcomes: [], active: false }),
    );
  });

  it('is active only while it is not closed and accepts orders', () => {
    const active = (change: object) => last([gamma({ ...MARKET, ...change })])!.active;
    expect(active({})).toBe(true);
    expect(active({ acceptingOrders: undefined })).toBe(true);
    expect(active({ closed: true })).toBe(false);
    expect(active({ archived: true })).toBe(false);
    expect(active({ acceptingOrders: false })).toBe(false);
    expect(active({ active: undefined })).toBe(false);
  });

  it.each<[string, object, boolean]>([
    ['if its closing has a time', { closed: true, closedTime: '2026-06-30 12:05:00+00' }, true],
    ['not if only its trading ended', { closed: true }, false],
    ['not while it is open, even with a time of closing', { closedTime: '2026-06-30 12:05:00+00' }, false],
  ])('is resolved %s', (_, change, resolved) => {
    expect(last([gamma({ ...MARKET, ...change })])).toMatchObject({ resolved });
    expect(last([gamma(MARKET), gamma({ conditionId: MARKET.conditionId, ...change })])).toMatchObject({ resolved });
  });

  it('starts at its event’s start, and has the extra fields of its kind', () => {
    const config = { id: 'x-5m', asset: 'btc', duration: '5m' };
    const market = last([
      gamma({ ...MARKET, eventStartTime: '2026-06-30T11:55:00Z', cryptoMarketConfig: config, groupItemThreshold: '3' }),
    ])!;
    expect(market.startTime).toBe(Date.UTC(2026, 5, 30, 11, 55));
    expect(JSON.parse(market.fields)).toMatchObject({ cryptoMarketConfig: config, groupItemThreshold: '3' });
  });
});

describe('the taker fee rate', () => {
  it.each<[string, object, string | null]>([
    ['the schedule’s where fees are on', {}, '0.05'],
    ['zero where fees are off', { feesEnabled: false }, '0'],
    ['zero where fees are off, even with a schedule', { feesEnabled: false, feeSchedule: { rate: 1 } }, '0'],
    ['unknown where fees are on without a schedule', { feeSchedule: undefined }, null],
    ['unknown where the venue does not state whether fees are on', { feesEnabled: undefined }, null],
  ])('is %s', (_, change, rate) => {
    expect(last([gamma({ ...MARKET, ...change })])!.takerFeeRate).toBe(rate);
  });
});

describe('a market of the CLOB', () => {
  it.each<[string, unknown]>([
    ['a page', { limit: 1000, count: 1, next_cursor: 'LTE=', data: [CLOB_MARKET] }],
    ['one market', CLOB_MARKET],
  ])('is emitted from %s with an unknown fee', (_, answer) => {
    expect(last([clob(answer)])).toMatchObject({
      marketId: id('a'),
      title: 'Will the bridge open by june?',
      endTime: Date.UTC(2026, 5, 30),
      instruments: ['11', '22'],
      outcomes: ['Yes', 'No'],
      active: true,
      takerFeeRate: null,
      fields: JSON.stringify({ negRisk: false, questionID: id('q') }),
    });
  });

  it('is outranked by gamma, in either order', () => {
    const both = [gamma(MARKET), clob(CLOB_MARKET)];
    expect(play(both).markets).toHaveLength(1);
    expect(last(both.toReversed())).toEqual(last(both));
    expect(last(both)).toMatchObject({ title: MARKET.question, endTime: Date.UTC(2026, 5, 30, 12) });
  });

  it('provides fields that gamma lacks, in either order', () => {
    const sparse = gamma({ conditionId: MARKET.conditionId, question: 'Bridge?', feesEnabled: false });
    const filled = last([sparse, clob(CLOB_MARKET)]);
    expect(filled).toMatchObject({
      title: 'Bridge?',
      instruments: ['11', '22'],
      slug: 'bridge-by-june',
      takerFeeRate: '0',
    });
    expect(last([clob(CLOB_MARKET), sparse])).toEqual(filled);
  });

  it('has no tokens if it is older than the order book', () => {
    const tokens = [
      { token_id: '', outcome: 'Yes' },
      { token_id: '', outcome: 'No' },
    ];
    expect(last([clob({ ...CLOB_MARKET, tokens })])).toMatchObject({ instruments: [], outcomes: [] });
  });
});

describe('an item that cannot be read', () => {
  it.each<[string, object]>([
    ['conditionId', { conditionId: undefined }],
    ['conditionId', { conditionId: '0x12' }],
    ['clobTokenIds', { clobTokenIds: '["11", ' }],
    ['clobTokenIds', { clobTokenIds: '["11"]' }],
    ['clobTokenIds', { clobTokenIds: '["eleven", "22"]' }],
    ['outcomes', { outcomes: '{}' }],
    ['endDate', { endDate: 'soon' }],
    ['closed', { closed: 'no' }],
    ['rate', { feeSchedule: { rate: 'low' } }],
  ])('is a dead letter that names %s, and its siblings are processed', (field, change) => {
    const sibling = { ...MARKET, conditionId: id('b'), clobTokenIds: '["33","44"]' };
    const { dead, markets } = play([gamma([{ ...EVENT, markets: [{ ...MARKET, ...change }, sibling] }])]);
    expect(dead).toEqual([{ reason: 'malformed_market', detail: expect.stringContaining(`${field}:`) }]);
    expect(markets.map((market) => market.marketId)).toEqual([id('b')]);
  });

  it('is a dead letter if it comes from the CLOB, too', () => {
    const { dead } = play([clob({ data: [{ ...CLOB_MARKET, tokens: [{ token_id: 'x' }] }] })]);
    expect(dead).toEqual([{ reason: 'malformed_market', detail: expect.stringContaining('tokens:') }]);
  });

  it('does not exist in an answer without any market', () => {
    const answers = [[], {}, null, 'text', 7, [{ id: '1', label: 'Cities', slug: 'cities' }], { history: [] }];
    expect(play(answers.map(gamma))).toMatchObject({ dead: [{ reason: 'malformed_json' }], markets: [] });
  });
});

describe('a trade of an unknown token', () => {
  const trade = () =>
    fill({ block: 9, tx: 't', logIndex: 1, maker: 'a', taker: 'b', side: 'sell', token: 11n, usd: 4, qty: 10 });

  it('is emitted without a market, and again with it once the catalog lists the token', () => {
    const { trades } = play([
      header(9),
      trade(),
      header(10),
      gamma(MARKET),
      header(80),
      gamma({ ...MARKET, slug: 's' }),
    ]);
    expect(trades.map(({ marketId, outcome, status }) => [marketId, outcome, status])).toEqual([
      [null, null, 'pending'],
      [id('a'), 'Yes', 'pending'],
      [id('a'), 'Yes', 'confirmed'],
    ]);
  });

  it('has its current status when it gets its market', () => {
    const { trades } = play([header(9), trade(), header(80), gamma(MARKET)]);
    expect(trades.map(({ marketId, status }) => [marketId, status])).toEqual([
      [null, 'pending'],
      [null, 'confirmed'],
      [id('a'), 'confirmed'],
    ]);
  });

  it('is not emitted again if it was reverted', () => {
    const { trades } = play([header(9), trade(), header(9, 'b'), gamma(MARKET)]);
    expect(trades.map(({ status }) => status)).toEqual(['pending', 'reverted']);
  });

  it('does not exist if the token is listed before the trade', () => {
    const { trades } = play([gamma(MARKET), header(9), trade(), header(10)]);
    expect(trades.map(({ marketId, outcome }) => [marketId, outcome])).toEqual([[id('a'), 'Yes']]);
  });
});
