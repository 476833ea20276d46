/** A harness of the stage `ledgers` with a first organization, and functions to send it commands, trades and outcomes. */
import type { Actor } from '#schemas/domain/control/envelope';
import { formatDecimal, parseDecimal, parseProduct } from '#schemas/domain/decimal';
import { addSums, hasLots, NOTHING_OPEN, type OpenSums, openPositionOf } from '#schemas/domain/ledger/open-position';
import { aMarket, aResolution } from '#schemas/testing/records.fixture';
import {
  type FillList,
  type FillLoad,
  fillLoadTopic,
  fillPageTopic,
  subscribedFillTopic,
  type VenueAFill,
} from '#schemas/topics/account-fills';
import { changeTopic, clockTopic } from '#schemas/topics/control';
import {
  type FollowedLedger,
  type LedgerEventRow,
  ledgerEventTopic,
  ledgerTopic,
  openBookTopic,
} from '#schemas/topics/ledgers';
import {
  type BackfilledEvent,
  backfilledEventTopic,
  backfilledTradeTopic,
  instrumentTopics,
  type Market,
  marketTopics,
  type PositionMove,
  positionMoveTopic,
  type Trade,
  type TradeOrders,
  tradeTopics,
} from '#schemas/topics/normalised';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import {
  adminOf,
  chainTrade,
  change,
  MAKER,
  OPERATOR,
  organizationBody,
  SEED,
  TAKER,
} from '../organizations/organizations.fixture.ts';
import { type DrivenOutput, driveStage } from '../testing/drive-stage.fixture.ts';
import { createLedgersStage } from './stage.ts';
import { fillPage } from './venue-a-fills.fixture.ts';

export { MAKER, OPERATOR, TAKER };

const DAY_MS = 86_400_000;

/** The maker's view of a trade in which it sold to the taker, with the fees and builders of both orders. */
const ORDERS: TradeOrders = {
  makerInstrument: '1',
  makerSide: 'sell',
  makerPrice: '0.4',
  makerBuilder: null,
  makerFee: '0',
  takerBuilder: null,
  takerFee: '0.01',
};

/** A resolution of the market 0xc in the block `at`: token 1 pays all. */
export function resolutionAt(at: number, fields: Partial<Resolution> = {}): Resolution {
  return aResolution({
    id: `venue_b:0xr${at}:1`,
    provider: 'venue_b',
    marketId: '0xc',
    payouts: ['1', '0'],
    resolvedAt: at * 1_000,
    receivedAt: at * 1_000 + 500,
    blockNumber: at,
    blockHash: `0xb${at}`,
    logIndex: 1,
    status: 'pending',
    ...fields,
  });
}

export function createLedgersProbe() {
  const driver = driveStage(createLedgersStage());
  let commands = 0;
  let arrivals = 0;
  const command = (type: string, body: object, as: Actor | null, receivedAt = 1_000) => {
    commands += 1;
    driver.feed(changeTopic, change(commands, type, body, { as, receivedAt }));
  };
  command('key.seed', SEED, null);
  return {
    driver,
    topics: { trades: tradeTopics.venue_b },
    command,
    organization(orgId: string): Actor {
      command('organization.create', organizationBody(orgId), OPERATOR);
      return adminOf(orgId);
    },
    bind: (as: Actor, walletId: string, address: string, provider = 'venue_b', receivedAt = 1_000) =>
      command('wallet.bind', { walletId, provider, address, label: '' }, as, receivedAt),
    unbind: (as: Actor, walletId: string) => command('wallet.unbind', { walletId }, as),
    /** A new trade in which the taker buys 3 of token 1 at 0.4 from the maker, in the block `at`. */
    trade(at: number, changes: Partial<Omit<Trade, 'orders'>> = {}, orders: Partial<TradeOrders> = {}): Trade {
      arrivals += 1;
      const trade: Trade = {
        ...chainTrade,
        id: `venue_b:0xt${at}:1`,
        ts: at * 1_000,
        receivedAt: at * 1_000 + 500,
        arrival: arrivals,
        price: '0.4',
        usd: null,
        txHash: `0xt${at}`,
        blockNumber: at,
        ...changes,
        orders: { ...ORDERS, ...orders },
      };
      driver.feed(tradeTopics.venue_b, trade);
      return trade;
    },
    /** The same trade again, with another status. */
    repeat: (trade: Trade, status: Trade['status']) => driver.feed(tradeTopics.venue_b, { ...trade, status }),
    /** A new move, in which the taker splits 5 of the market 0xc, in the block `at`. */
    move(at: number, changes: Partial<PositionMove> = {}): PositionMove {
      arrivals += 1;
      const move: PositionMove = {
        id: `venue_b:0xm${at}:1`,
        account: TAKER,
        kind: 'split',
        marketIds: ['0xc'],
        received: [],
        qty: '5',
        ts: at * 1_000,
        receivedAt: at * 1_000 + 500,
        arrival: arrivals,
        txHash: `0xm${at}`,
        logIndex: 1,
        blockNumber: at,
        blockHash: `0xb${at}`,
        status: 'pending',
        ...changes,
      };
      driver.feed(positionMoveTopic, move);
      return move;
    },
    /** The same move again, with another status. */
    repeatMove: (move: PositionMove, status: PositionMove['status']) =>
      driver.feed(positionMoveTopic, { ...move, status }),
    /** What a backfill found of the taker's account. */
    found: (found: Partial<Pick<BackfilledEvent, 'ledger' | 'trade' | 'move' | 'resolution'>>) =>
      driver.feed(backfilledEventTopic, {
        account: TAKER,
        ledger: null,
        receivedAt: 9_000_000,
        trade: null,
        move: null,
        resolution: null,
        ...found,
      }),
    revertBackfilled: (trade: Trade) => driver.feed(backfilledTradeTopic, { ...trade, status: 'reverted' }),
    market: (fields: Partial<Market> = {}) =>
      driver.feed(marketTopics.venue_b, aMarket({ marketId: '0xc', instruments: ['1', '2'], ...fields })),
    resolve: (at: number, fields: Partial<Resolution> = {}) =>
      driver.feed(resolutionTopics.venue_b, resolutionAt(at, fields)),
    /** A response with fills of the taker's account on venue_a. */
    page: (list: FillList, from: number, fills: readonly VenueAFill[], isFull = false) =>
      driver.feed(fillPageTopic, fillPage(TAKER, list, from, fills, isFull)),
    /** Fills that the subscription of that account brings. */
    subscribed: (fills: readonly VenueAFill[], receivedAt = 20_000_000) =>
      driver.feed(subscribedFillTopic, { user: TAKER, receivedAt, fills: [...fills] }),
    /** A pair of venue_a in which a token is traded for USDC. */
    pair: (coin: string, base: string) =>
      driver.feed(instrumentTopics.venue_a, {
        provider: 'venue_a_perp',
        coin,
        receivedAt: 1_000,
        kind: 'spot',
        sizeDecimals: 2,
        maxLeverage: null,
        delisted: false,
        index: 1,
        dex: null,
        base,
        quote: 'USDC',
        quoteDecimals: 8,
        canonical: true,
        tradesLeftOut: false,
      }),
    /** The newest statement of how far the fills of that account are loaded. */
    fillLoad: () => driver.outputs.findLast(({ topic }) => topic === fillLoadTopic.name)?.value as FillLoad | null,
    day: (nth: number) => driver.feed(clockTopic, { receivedAt: nth * DAY_MS, tick: true, hour: true, day: true }),
    /** The table that follows from all rows: what is applied, by instrument, event and part. */
    rows: (): string[] => appliedRows(driver.emittedTo(ledgerEventTopic)).map(rowText),
    /** The starts of the ledgers of all rows. */
    ledgers: () => [...new Set(driver.emittedTo(ledgerEventTopic).map(({ ledger }) => ledger))],
    /** The ledgers that exist, by the records of the compacted topic. */
    started: () => [...newestOf(driver.outputs, ledgerTopic).values()],
    /** What is open in each book by the rows of the ledgers that exist. Throws if other books were published as open. */
    books(): string[] {
      const started = newestOf<FollowedLedger>(driver.outputs, ledgerTopic);
      const sums = new Map<string, OpenSums>();
      for (const row of appliedRows(driver.emittedTo(ledgerEventTopic))) {
        if (started.get(row.account)?.ledger !== row.ledger) continue;
        const key = `${row.account} ${row.instrument} ${row.builder ?? ''}`;
        sums.set(key, addSums(sums.get(key) ?? NOTHING_OPEN, changeOf(row)));
      }
      const open = [...sums].filter(([, sum]) => hasLots(sum));
      const published = [...newestOf(driver.outputs, openBookTopic).keys()].sort().join();
      const held = open.map(([key]) => key).sort();
      if (published !== held.join()) throw new Error(`published as open: ${published}; open: ${held.join()}`);
      return open.map(([key, sum]) => bookText(key, sum));
    },
  };
}

/** The newest value of each key of a compacted topic. */
function newestOf<T>(outputs: readonly DrivenOutput[], { name }: { readonly name: string }): Map<string, T> {
  const values = new Map<string, T>();
  for (const { topic, key, value } of outputs) {
    if (topic !== name) continue;
    if (value === null) values.delete(key);
    else values.set(key, value as T);
  }
  return values;
}

/** The rows of the table that are applied. */
function appliedRows(emitted: readonly LedgerEventRow[]): LedgerEventRow[] {
  const rows = new Map<string, LedgerEventRow>();
  for (const row of emitted) rows.set(`${row.account} ${row.ledger} ${row.instrument} ${row.id} ${row.part}`, row);
  return [...rows.values()].filter(({ state }) => state === 'applied');
}

function changeOf({ qty, longQty, knownQty, knownCost }: LedgerEventRow): OpenSums {
  return {
    qty: parseDecimal(qty),
    longQty: parseDecimal(longQty),
    knownQty: parseDecimal(knownQty),
    knownCost: parseProduct(knownCost),
  };
}

const nameOf = (account: string) =>
  ({ [`venue_b:${MAKER}`]: 'maker', [`venue_b:${TAKER}`]: 'taker', [`venue_a:${TAKER}`]: 'taker' })[account] ?? account;

function rowText({
  account,
  id,
  kind,
  instrument,
  builder,
  qty,
  price,
  realized,
  notional,
  fee,
  partial,
  closes,
}: LedgerEventRow): string {
  const closed = closes.map((part) => ` ${part.qty} of ${part.openedBy}`).join();
  const book = `${instrument}${builder ? ` of ${builder}` : ''}`;
  return `${nameOf(account)} ${id} ${kind} ${book}: ${qty} at ${price}, realized ${realized}, notional ${notional}, fee ${fee}${closed && `, closes${closed}`}${partial ? ', partial' : ''}`;
}

function bookText(key: string, sums: OpenSums): string {
  const [account, instrument, builder] = key.split(' ') as [string, string, string];
  const { qty, knownQty, knownCost, avgCost } = openPositionOf(sums);
  const book = `${instrument}${builder ? ` of ${builder}` : ''}`;
  const average = avgCost === null ? null : formatDecimal(avgCost);
  return `${nameOf(account)} ${book}: ${formatDecimal(qty)}, known ${formatDecimal(knownQty)} for ${formatDecimal(knownCost)}, average ${average}`;
}
