/** Reads the recordings with simple code that shares nothing with the service. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Address, decodeEventLog, type Hex, parseAbi } from 'viem';
import { PROJECT_ROOT } from '../sources.ts';

const SHARED = resolve(PROJECT_ROOT, process.env.PARALLAX_SHARED ?? '../shared');

/** Path of a recorded folder. */
export function recording(name: string): string {
  return join(SHARED, 'recordings', name);
}

/** Null if the recordings exist, else a sentence for the titles of the tests that are skipped. */
export const RECORDINGS_MISSING = existsSync(recording('venue_b-2026'))
  ? null
  : `no recordings at ${SHARED}; set PARALLAX_SHARED to the folder that holds recordings/`;

export interface Line {
  readonly at: number;
  readonly source: string;
  readonly data?: unknown;
  readonly block?: { readonly number: Hex; readonly timestamp: Hex };
  readonly log?: RecordedLog;
}
export interface RecordedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
}

/** Every line of the files of a folder whose names start with the prefix, in file order. */
export function readLines(folder: string, prefix: string): Line[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /\.ndjson(\.gz)?$/.test(name))
    .sort()
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line);
    });
}

/** A plain decimal as an integer of 10^-`places`. */
function scaled(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0').slice(0, places));
}

export interface PlainTrade {
  readonly coin: string;
  readonly side: 'A' | 'B';
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly tid: number;
}

/** The recorded venue_a trades in the order of receipt. */
export function venueATrades(folder: string): PlainTrade[] {
  return readLines(folder, 'ws.trades').flatMap((line) => (line.data as { data: PlainTrade[] }).data);
}

export interface PlainBar {
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Bars of a length, computed naively: group, sort, take first, last and extremes. */
export function barsOf(trades: readonly PlainTrade[], lengthMs: number): PlainBar[] {
  const buckets = new Map<number, PlainTrade[]>();
  for (const trade of trades) {
    const bucket = Math.floor(trade.time / lengthMs) * lengthMs;
    const own = buckets.get(bucket);
    if (own) own.push(trade);
    else buckets.set(bucket, [trade]);
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([ts, group]) => {
      // The stable sort preserves the order of arrival at equal times.
      const sorted = [...group].sort((a, b) => a.time - b.time);
      const byPrice = [...group].sort((a, b) => Number(scaled(a.px, 10) - scaled(b.px, 10)));
      const volume = group.reduce((sum, trade) => sum + scaled(trade.sz, 10), 0n);
      return {
        ts,
        open: Number(sorted[0]!.px),
        high: Number(byPrice.at(-1)!.px),
        low: Number(byPrice[0]!.px),
        close: Number(sorted.at(-1)!.px),
        volume: Number(`${volume / 10n ** 10n}.${(volume % 10n ** 10n).toString().padStart(10, '0')}`),
      };
    });
}

export interface ChainTrade {
  readonly txHash: string;
  readonly logIndex: number;
  readonly side: 'buy' | 'sell';
  readonly tokenId: string;
  readonly price: number;
  readonly qty: number;
  readonly maker: string;
  readonly taker: string;
  readonly ts: string;
}

const V1 = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee)',
]);
const V2 = parseAbi([
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)',
]);

interface Leg {
  readonly log: RecordedLog;
  readonly index: number;
  readonly own: 'buy' | 'sell';
  readonly token: bigint;
  readonly usd: bigint;
  readonly qty: bigint;
  readonly maker: string;
  readonly taker: string;
}

function legOf(log: RecordedLog): Leg | null {
  const base = { log, index: Number(log.logIndex) };
  const topics = log.topics as [Hex, ...Hex[]];
  for (const abi of [V1, V2] as const) {
    try {
      const { args } = decodeEventLog({ abi, data: log.data, topics, strict: true }) as {
        args: Record<string, unknown>;
      };
      const [paid, received] = [args.makerAmountFilled as bigint, args.takerAmountFilled as bigint];
      const buys = 'side' in args ? args.side === 0 : args.makerAssetId === 0n;
      const token = 'side' in args ? args.tokenId : buys ? args.takerAssetId : args.makerAssetId;
      return {
        ...base,
        own: buys ? 'buy' : 'sell',
        token: token as bigint,
        usd: buys ? paid : received,
        qty: buys ? received : paid,
        maker: String(args.maker).toLowerCase(),
        taker: String(args.taker).toLowerCase(),
      };
    } catch {
      // Another event: not a fill of this version of the contract.
    }
  }
  return null;
}

/** The recorded venue_b fills: one per maker leg, from the taker's view (venue page, section 7). */
export function venueBTrades(folder: string): ChainTrade[] {
  const lines = readLines(folder, 'chain');
  const times = new Map(
    lines.flatMap((line) => (line.block ? [[line.block.number, Number(line.block.timestamp)] as const] : [])),
  );
  const legs = lines.flatMap((line) => (line.log ? [legOf(line.log)] : [])).filter((leg) => leg !== null);
  return legs
    .filter((leg) => leg.taker !== leg.log.address.toLowerCase())
    .map((leg) => {
      const aggressor = legs.find(
        (other) =>
          other.log.transactionHash === leg.log.transactionHash &&
          other.log.address === leg.log.address &&
          other.index > leg.index &&
          other.taker === other.log.address.toLowerCase(),
      );
      const complement = aggressor !== undefined && aggressor.token !== leg.token;
      const price = Number(leg.usd) / Number(leg.qty);
      return {
        txHash: leg.log.transactionHash,
        logIndex: leg.index,
        side: aggressor ? aggressor.own : leg.own === 'buy' ? 'sell' : 'buy',
        tokenId: String(complement ? aggressor.token : leg.token),
        price: complement ? 1 - price : price,
        qty: Number(leg.qty) / 1e6,
        maker: leg.maker,
        taker: aggressor ? aggressor.maker : leg.taker,
        ts: new Date(times.get(leg.log.blockNumber)! * 1000).toISOString(),
      };
    });
}
