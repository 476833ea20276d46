/** Compares the outputs for the recorded chain, books and catalogs with figures computed here in another way. */
import { readFileSync } from 'node:fs';
import { decodeEventLog, type Hex, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { applyBookUpdate, type Book, bestAsk, bestBid, createBook } from '#schemas/domain/book';
import { formatDecimal, parseDecimal, UNIT } from '#schemas/domain/decimal';
import type { BookUpdate, Market, Trade } from '#schemas/topics/normalised';
import type { RawEnvelope } from '#schemas/topics/raw';
import { type AnyRecord, play, readRecording, sharedPath } from './venue-b.fixture.ts';

const RECORDING_2026 = sharedPath('recordings/venue_b-2026');
const RECORDING_MLB = sharedPath('recordings/venue_b-mlb-2025-06-19');
const MATCHED = sharedPath('data/venue_b/logs/matched_transactions.json');

const ABI = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee)',
]);
const ABI_V2 = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)',
]);
const TOPICS = {
  '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6': 1,
  '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee': 2,
} as Record<string, 1 | 2>;

interface RpcLog {
  address: string;
  topics: [Hex, Hex, Hex, Hex];
  data: Hex;
  transactionHash: string;
  logIndex: string;
  blockHash: string;
}
interface Leg {
  log: RpcLog;
  maker: string;
  taker: string;
  isBuy: boolean;
  token: bigint;
  usd: bigint;
  qty: bigint;
}

const dataOf = (record: AnyRecord) => JSON.parse((record.value as RawEnvelope).payload.toString());

function decode(log: RpcLog): Leg {
  if (TOPICS[log.topics[0]] === 1) {
    const { args } = decodeEventLog({ abi: ABI, data: log.data, topics: log.topics });
    const isBuy = args.makerAssetId === 0n;
    return {
      ...{ log, maker: args.maker.toLowerCase(), taker: args.taker.toLowerCase(), isBuy },
      token: args.makerAssetId + args.takerAssetId,
      usd: isBuy ? args.makerAmountFilled : args.takerAmountFilled,
      qty: isBuy ? args.takerAmountFilled : args.makerAmountFilled,
    };
  }
  const { args } = decodeEventLog({ abi: ABI_V2, data: log.data, topics: log.topics });
  const isBuy = args.side === 0;
  return {
    ...{ log, maker: args.maker.toLowerCase(), taker: args.taker.toLowerCase(), isBuy, token: args.tokenId },
    usd: isBuy ? args.makerAmountFilled : args.takerAmountFilled,
    qty: isBuy ? args.takerAmountFilled : args.makerAmountFilled,
  };
}

/** Returns usd / qty with 18 decimals, rounded half to even. */
function ratio(usd: bigint, qty: bigint): bigint {
  const low = (usd * 10n ** 18n) / qty;
  const distance = usd * 10n ** 18n - low * qty;
  if (distance * 2n === qty) return low % 2n === 0n ? low : low + 1n;
  return distance * 2n < qty ? low : low + 1n;
}

type Expected = Pick<Trade, 'id' | 'instrument' | 'side' | 'price' | 'qty' | 'usd' | 'maker' | 'taker' | 'ts'> & {
  kind: 'direct' | 'mint' | 'merge' | 'alone';
};

function expectTrade(leg: Leg, rest: readonly Leg[], ts: number): Expected {
  const takerLeg = rest.find((next) => next.log.address === leg.log.address && next.taker === next.log.address);
  const isComplement = takerLeg !== undefined && takerLeg.token !== leg.token;
  const price = ratio(leg.usd, leg.qty);
  const show = (value: bigint) => formatDecimal(value as typeof UNIT);
  return {
    id: `venue_b:${leg.log.transactionHash}:${Number(leg.log.logIndex)}`,
    kind: !takerLeg ? 'alone' : !isComplement ? 'direct' : leg.isBuy ? 'mint' : 'merge',
    instrument: String(takerLeg?.token ?? leg.token),
    side: (takerLeg?.isBuy ?? !leg.isBuy) ? 'buy' : 'sell',
    price: show(isComplement ? UNIT - price : price),
    qty: show(leg.qty * 10n ** 12n),
    usd: show((isComplement ? leg.qty - leg.usd : leg.usd) * 10n ** 12n),
    maker: leg.maker,
    taker: leg.taker,
    ts,
  };
}

/** Derives the trades of recorded logs from complete transactions, with a general ABI decoder. */
function expectedTrades(records: readonly AnyRecord[]): Expected[] {
  const times = new Map<string, number>();
  const transactions = new Map<string, Leg[]>();
  for (const { block, log } of records.filter((record) => record.topic.endsWith('.rpc')).map(dataOf)) {
    if (block) times.set(block.hash, Number(block.timestamp) * 1000);
    if (!log || !(log.topics[0] in TOPICS)) continue;
    const legs = transactions.get(log.transactionHash) ?? [];
    transactions.set(log.transactionHash, [...legs, decode(log)]);
  }
  return [...transactions.values()].flatMap((legs) => {
    legs.sort((a, b) => Number(a.log.logIndex) - Number(b.log.logIndex));
    return legs.flatMap((leg, at) =>
      leg.taker === leg.log.address ? [] : [expectTrade(leg, legs.slice(at + 1), times.get(leg.log.blockHash)!)],
    );
  });
}

const pick = ({ id, instrument, side, price, qty, usd, maker, taker, ts }: Omit<Expected, 'kind'>) => ({
  ...{ id, instrument, side, price, qty, usd, maker, taker, ts },
});
const byId = <T extends { id: string }>(trades: readonly T[]) => trades.toSorted((a, b) => (a.id < b.id ? -1 : 1));

describe.skipIf(!RECORDING_2026)('the recorded chain (skipped: no recordings at PARALLAX_SHARED)', () => {
  const records = RECORDING_2026 ? readRecording(RECORDING_2026) : [];

  it('gives 538 trades, equal to those from a general decoder and complete transactions', () => {
    const expected = expectedTrades(records);
    const kinds = expected.map((trade) => trade.kind);
    const count = (kind: string) => kinds.filter((entry) => entry === kind).length;
    expect([count('direct'), count('mint'), count('merge'), count('alone')]).toEqual([368, 92, 76, 2]);
    const { trades, dead } = play(records);
    const pending = trades.filter((trade) => trade.status === 'pending');
    expect(byId(pending.map(pick))).toEqual(byId(expected.map(pick)));
    expect(dead).toEqual([]);
  });

  it('confirms every trade once as headers follow', () => {
    const { trades } = play(records);
    const of = (status: string) => new Set(trades.filter((trade) => trade.status === status).map((trade) => trade.id));
    expect(trades).toHaveLength(2 * 538);
    expect(of('confirmed')).toEqual(of('pending'));
  });

  it('gives the same outputs with a restart before every record', () => {
    const chain = records.filter((record) => record.topic.endsWith('.rpc')).slice(0, 600);
    const { state: _, ...uninterrupted } = play(chain);
    const { state: __, ...restarted } = play(chain, { restarts: true });
    expect(restarted).toEqual(uninterrupted);
  });

  it.skipIf(!MATCHED)('gives the documented trades for the documented matches', () => {
    const { trades } = play(records);
    const described = JSON.parse(readFileSync(MATCHED!, 'utf8')) as { txHash: string; expectedTrade: Partial<Trade> }[];
    expect(described.length).toBeGreaterThan(0);
    for (const { txHash, expectedTrade } of described) {
      const { note: _, ...figures } = expectedTrade as Partial<Trade> & { note?: string };
      const found = trades.filter((trade) => trade.txHash === txHash && trade.status === 'pending');
      expect(found).toEqual([expect.objectContaining(figures)]);
    }
  });
});

const shown = (level: Book['bids'][number] | null) => (level ? formatDecimal(level.price) : null);

describe.skipIf(!RECORDING_2026)('the recorded book of 2026 (skipped: no recordings at PARALLAX_SHARED)', () => {
  it('has the best prices that every frame states', () => {
    const frames = readRecording(RECORDING_2026!).filter((record) => record.topic.endsWith('.clob_ws'));
    const books = new Map<string, Book>();
    let checked = 0;
    for (let count = 1; count <= frames.length; count += 1) {
      const newest = play(frames.slice(0, count)).books;
      const before = count === 1 ? 0 : play(frames.slice(0, count - 1)).books.length;
      for (const update of newest.slice(before)) {
        const book = books.get(update.instrument) ?? createBook();
        books.set(update.instrument, book);
        applyBookUpdate(book, update);
      }
      for (const change of dataOf(frames[count - 1]!).price_changes ?? []) {
        const book = books.get(change.asset_id);
        if (!book) continue;
        expect([shown(bestBid(book)), shown(bestAsk(book))]).toEqual([change.best_bid, change.best_ask]);
        checked += 1;
      }
    }
    expect(checked).toBe(15);
  });
});

describe.skipIf(!RECORDING_MLB)('the recorded books of one game (skipped: no recordings at PARALLAX_SHARED)', () => {
  it('mirror each other whenever both were updated and the venue’s two frames agree', () => {
    const { books: updates, dead, state } = play(readRecording(RECORDING_MLB!));
    expect(dead).toEqual([]);
    const books = new Map(updates.map((update) => [update.instrument, createBook()]));
    const [yes, no] = [...books.values()];
    const turned = (levels: Book['bids']) => levels.map(({ price, size }) => ({ price: UNIT - price, size }));
    let mirrored = 0;
    let disagreed = 0;
    for (let from = 0, to = 0; from < updates.length; from = to) {
      while (updates[to]?.ts === updates[from]!.ts) to += 1;
      const moment = updates.slice(from, to);
      for (const update of moment) applyBookUpdate(books.get(update.instrument)!, update);
      if (new Set(moment.map((update) => update.instrument)).size < 2) continue;
      if (!agree(moment)) {
        disagreed += 1;
        continue;
      }
      expect(yes!.bids).toEqual(turned(no!.asks));
      expect(yes!.asks).toEqual(turned(no!.bids));
      mirrored += 1;
    }
    // In four pairs of frames the venue itself states two sizes for one level, and corrects it in the next pair.
    expect([mirrored, disagreed]).toEqual([1_324, 4]);
    expect([...state.books.values()].map((book) => book.complete)).toEqual([true, true]);
  });
});

/** True if the updates of one moment are the mirror image of each other for the two tokens. */
function agree(moment: readonly BookUpdate[]): boolean {
  const linesByToken = new Map<string, string[]>();
  for (const { instrument, bids, asks } of moment) {
    const lines = linesByToken.get(instrument) ?? [];
    const isFirst = instrument === moment[0]!.instrument;
    const line = (price: bigint, isBid: boolean, size: string) =>
      lines.push(isFirst ? `${price} ${isBid} ${size}` : `${UNIT - price} ${!isBid} ${size}`);
    for (const { price, size } of bids) line(parseDecimal(price), true, size);
    for (const { price, size } of asks) line(parseDecimal(price), false, size);
    linesByToken.set(instrument, lines);
  }
  const [first, second] = [...linesByToken.values()].map((lines) => lines.sort().join());
  return first === second;
}

describe.each([RECORDING_2026, RECORDING_MLB].filter((folder) => folder !== null))('the catalog of %s', (folder) => {
  const answers = readRecording(folder).filter((record) => /\.(gamma|clob)$/.test(record.topic));
  const final = (records: readonly AnyRecord[]) => {
    const markets = new Map<string, Market>();
    for (const market of play(records).markets) markets.set(market.marketId, market);
    return [...markets.values()]
      .map(({ receivedAt: _, ...market }) => market)
      .sort((a, b) => (a.marketId < b.marketId ? -1 : 1));
  };
  const shape = (of: (data: Record<string, unknown>) => boolean) => answers.filter((record) => of(dataOf(record)));
  const withoutEventOnly = (markets: ReturnType<typeof final>) =>
    markets.map((market) => {
      const { tags: _, series: __, ...fields } = JSON.parse(market.fields);
      return { ...market, fields };
    });

  it('does not depend on the order of its answers', () => {
    const inOrder = final(answers);
    expect(inOrder.length).toBeGreaterThan(0);
    expect(final(answers.toReversed())).toEqual(inOrder);
    expect(play(answers).dead).toEqual([]);
  });

  it('is the same from lists, pages and single answers', () => {
    const gamma = answers.filter((record) => record.topic.endsWith('.gamma'));
    const listed = gamma.filter((record) => Array.isArray(dataOf(record)) && dataOf(record)[0]?.markets);
    const markets = final(listed);
    expect(final(shape((data) => Array.isArray(data.events) && !('conditionId' in data)))).toEqual(markets);
    expect(final(shape((data) => 'title' in data && Array.isArray(data.markets)))).toEqual(markets);
    const bare = withoutEventOnly(markets);
    expect(withoutEventOnly(final(shape((data) => Array.isArray(data) && 'conditionId' in (data[0] ?? {}))))).toEqual(
      bare,
    );
    expect(withoutEventOnly(final(shape((data) => Array.isArray(data.markets) && !('title' in data))))).toEqual(bare);
    expect(withoutEventOnly(final(shape((data) => 'conditionId' in data)))).toEqual(bare);
  });
});
