/** Complete records of the topics for tests, with defaults for the fields that a test does not set. */
import type { StageInput, StageRecord } from '#infra/stages/stage';
import * as blank from '#schemas/testing/records.fixture';
import type { AccountValue } from '#schemas/topics/accounts';
import type { Arbitrage, EventLink, Spread, UniversalEvent } from '#schemas/topics/derived';
import type { AssetContext, BookUpdate, Instrument, PerpDex, Trade } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { sandboxRequests } from '../sandbox/info-responses.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { fixedFreshness } from '../views/freshness.ts';
import { VIEWS, type Views } from '../views/views.ts';

/** 2026-03-01T12:00:00.000Z. */
export const NOON_MS = Date.UTC(2026, 2, 1, 12);

/** Views of an empty log. */
export function createViews(): Views {
  const events = VIEWS.events.initialState();
  const [coins, books] = [VIEWS.coins.initialState(), VIEWS.books.initialState()];
  const leaderboards = VIEWS.leaderboards.initialState();
  const nodeFillCoverage = VIEWS.nodeFillCoverage.initialState();
  const questionBooks = VIEWS.questionBooks.initialState();
  const ledgers = VIEWS.ledgers.initialState();
  const accountValues = VIEWS.accountValues.initialState();
  const accountSeries = VIEWS.accountSeries.initialState();
  const snapshotHeads = VIEWS.snapshotHeads.initialState();
  return {
    events,
    coins,
    books,
    questionBooks,
    leaderboards,
    nodeFillCoverage,
    ledgers,
    accountValues,
    accountSeries,
    seriesAttempts: new Map(),
    snapshotHeads,
    freshness: fixedFreshness(events),
  };
}

/** An empty sandbox data set. */
export function emptySandbox(): Sandbox {
  const views = createViews();
  const data = { views, store: { query: async () => [] }, ingest: sandboxRequests([], views.accountValues) };
  return { data: async () => data };
}

/** Calls the handler of a view for a record. */
export function applyRecord<S, T>(
  view: { readonly inputs: readonly StageInput<S>[] },
  state: S,
  topic: Topic<T>,
  key: string,
  value: T | null,
  receivedAt = NOON_MS,
): void {
  const input = view.inputs.find((entry) => entry.topic.name === topic.name);
  if (!input) throw new Error(`the view does not read ${topic.name}`);
  const handle = input.handle as unknown as (state: S, record: StageRecord<T | null>, emit: never) => void;
  handle(state, { topic: topic.name, partition: 0, offset: 0, key, receivedAt, value }, undefined as never);
}

/** The value of an account of venue_b. */
export function anAccountValue(fields: Partial<AccountValue> = {}): AccountValue {
  const { receivedAt = NOON_MS } = fields;
  return {
    account: `venue_b:0x${'a1'.repeat(20)}`,
    receivedAt,
    asOf: receivedAt,
    source: null,
    unpriced: null,
    failure: null,
    mode: null,
    valueUsd: '1234.5',
    availableUsd: '10.25',
    navUsd: '1244.75',
    unrealizedPnlUsd: null,
    buckets: [],
    spotBalances: [],
    perpByDex: [],
    ...fields,
  };
}

export function aLink(fields: Partial<EventLink> = {}): EventLink {
  const market = { providerMarketId: '0xmarket', yesInstrument: '111', noInstrument: '222', takerFeeRate: '0' };
  return blank.aLink({ ...market, source: 'catalog', evidence: '{"title":"example"}', ...fields });
}

export function anEvent(fields: Partial<UniversalEvent> = {}): UniversalEvent {
  return blank.anEvent({
    receivedAt: NOON_MS,
    canonicalName: 'BTC at or above 100000 on 2026-03-31',
    kind: 'price_binary',
    underlying: 'BTC',
    threshold: '100000',
    op: 'gte',
    resolutionTime: Date.UTC(2026, 2, 31),
    firstSeenAt: NOON_MS,
    lastSeenAt: NOON_MS,
    links: [aLink()],
    ...fields,
  });
}

export function aSpread(fields: Partial<Spread> = {}): Spread {
  return {
    universalId: 'evt_1',
    receivedAt: NOON_MS,
    legs: [
      {
        provider: 'venue_b',
        marketId: '0xmarket',
        yesBid: '0.41',
        yesAsk: '0.43',
        yesMid: '0.42',
        live: true,
        bookAt: NOON_MS,
        state: 'live',
      },
    ],
    causeProvider: null,
    causeMarketId: null,
    ...fields,
  };
}

export function anArbitrage(fields: Partial<Arbitrage> = {}): Arbitrage {
  return {
    universalId: 'evt_1',
    receivedAt: NOON_MS,
    kind: 'cross_provider',
    size: '100',
    grossEdge: '0.02',
    netEdge: '-0.001',
    quoteAgeMs: 1_200,
    firstProvider: 'venue_a_outcome',
    firstMarketId: '#10',
    firstPrice: '0.4',
    firstFee: '0.001',
    secondProvider: 'venue_b',
    secondMarketId: '0xmarket',
    secondPrice: '0.42',
    secondFee: '0.02',
    causeProvider: null,
    causeMarketId: null,
    ...fields,
  };
}

export function anInstrument(fields: Partial<Instrument> = {}): Instrument {
  return {
    provider: 'venue_a_perp',
    coin: 'BTC',
    receivedAt: NOON_MS,
    kind: 'perp',
    sizeDecimals: 5,
    maxLeverage: 40,
    delisted: false,
    index: 0,
    dex: null,
    base: null,
    quote: null,
    quoteDecimals: null,
    canonical: false,
    tradesLeftOut: false,
    ...fields,
  };
}

/** The pair that `HYPE-USDC` means. */
export function aPair(fields: Partial<Instrument> = {}): Instrument {
  const tokens = { base: 'HYPE', quote: 'USDC', sizeDecimals: 2, quoteDecimals: 8 };
  const pair = { coin: '@107', kind: 'spot' as const, index: 107, maxLeverage: null, canonical: true };
  return anInstrument({ ...pair, ...tokens, ...fields });
}

/** A contract of the dex `orb`. */
export function aContract(fields: Partial<Instrument> = {}): Instrument {
  return anInstrument({ provider: 'venue_a_dex', coin: 'orb:GOLD', dex: 'orb', maxLeverage: 20, ...fields });
}

export function aPerpDex(fields: Partial<PerpDex> = {}): PerpDex {
  return {
    name: 'orb',
    receivedAt: NOON_MS,
    fullName: 'Orbit Markets',
    deployer: `0x${'d'.repeat(40)}`,
    delisted: false,
    index: 1,
    ...fields,
  };
}

export function aContext(fields: Partial<AssetContext> = {}): AssetContext {
  return {
    provider: 'venue_a_perp',
    coin: 'BTC',
    receivedAt: NOON_MS,
    markPrice: '100000.5',
    oraclePrice: '100001',
    midPrice: '100000.25',
    funding: '0.0000125',
    openInterest: '31234.5',
    dayNotionalVolume: '123456789.25',
    dayBaseVolume: '1234.5',
    previousDayPrice: '99000',
    circulatingSupply: null,
    ...fields,
  };
}

/** A book snapshot with `levels` levels on each side around 100. */
export function aBookUpdate(levels: number, fields: Partial<BookUpdate> = {}): BookUpdate {
  const side = (step: number) =>
    Array.from({ length: levels }, (_, at) => ({ price: String(100 + step * (at + 1)), size: '1.5' }));
  return {
    provider: 'venue_a_perp',
    instrument: 'BTC',
    marketId: 'BTC',
    feed: 'books/0',
    ts: NOON_MS,
    receivedAt: NOON_MS,
    snapshot: true,
    bids: side(-0.5),
    asks: side(0.5),
    ...fields,
  };
}

export function aTrade(fields: Partial<Trade> = {}): Trade {
  return {
    id: 'venue_b:0xhash:1',
    provider: 'venue_b',
    marketId: '0xmarket',
    instrument: '111',
    outcome: 'Yes',
    ts: NOON_MS,
    receivedAt: NOON_MS,
    arrival: 1,
    side: 'buy',
    price: '0.42',
    qty: '10',
    usd: '4.2',
    maker: '0x00000000000000000000000000000000000000aa',
    taker: '0x00000000000000000000000000000000000000bb',
    txHash: '0xhash',
    logIndex: 1,
    tradeId: null,
    blockNumber: 7,
    blockHash: '0xblock',
    orders: null,
    status: 'confirmed',
    ...fields,
  };
}
