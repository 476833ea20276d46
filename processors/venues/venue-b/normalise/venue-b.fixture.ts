/** Shared by the tests of this folder: builds records in the form that ingest writes, and runs the stage over them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { encodeAbiParameters, keccak256, pad, toHex } from 'viem';
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { RawChannelFrame } from '#schemas/topics/channels';
import type { CollateralChange } from '#schemas/topics/collateral-changes';
import type { FollowedBlock } from '#schemas/topics/followed-blocks';
import type {
  BackfilledEvent,
  BookUpdate,
  Market,
  MarketStatus,
  PositionMove,
  Trade,
} from '#schemas/topics/normalised';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import type { FeedEvent, RawEnvelope } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';
import { CHAIN_EVENTS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { createVenueBStage, type VenueBStageOptions, type VenueBState } from './stage.ts';

export type AnyRecord = StageRecord<unknown>;

const record = (topic: string, key: string, receivedAt: number, value: unknown): AnyRecord => ({
  topic,
  partition: 0,
  offset: 0,
  key,
  receivedAt,
  value,
});

/** Builds a raw record. Text is used unchanged, anything else as JSON. */
export function raw(stream: string, receivedAt: number, data: unknown, key = `venue_b.${stream}`): AnyRecord {
  const payload = Buffer.from(typeof data === 'string' ? data : JSON.stringify(data));
  return record(`raw.venue_b.${stream}`, key, receivedAt, {
    provider: 'venue_b',
    stream,
    key,
    receivedAt,
    request: null,
    payload,
  });
}

export function feed(kind: FeedEvent['kind'], receivedAt: number, name = 'venue_b.clob_ws'): AnyRecord {
  return record('raw.venue_b.feeds', name, receivedAt, {
    provider: 'venue_b',
    feed: name,
    receivedAt,
    kind,
    reason: null,
    coins: [],
  });
}

export function clock(receivedAt: number): AnyRecord {
  return record('control.clock', 'clock', receivedAt, { receivedAt, tick: true, hour: false, day: false });
}

/** Returns a hash derived from a name. */
export const hashOf = (name: string) => keccak256(toHex(name));
/** Returns an address derived from a name. */
export const accountOf = (name: string) => `0x${hashOf(name).slice(26)}`;

/** Returns the receive time of the block with that number: 2 s per block. */
export const blockAt = (number: number) => 1_700_000_000_000 + number * 2_000;

/** Builds a header; `fork` distinguishes blocks of one number, `parent` is the fork of the block below. */
export function header(number: number, fork = 'a', parent = fork): AnyRecord {
  return raw('rpc', blockAt(number), {
    block: {
      number: toHex(number),
      hash: hashOf(`${number}${fork}`),
      parentHash: hashOf(`${number - 1}${parent}`),
      timestamp: toHex(blockAt(number) / 1000),
    },
  });
}

/** Builds the headers from one number to another. */
export const headers = (from: number, to: number, fork = 'a'): AnyRecord[] =>
  Array.from({ length: to - from + 1 }, (_, at) => header(from + at, fork));

export const EXCHANGE = EXCHANGES.ctfV2;

export interface FillOptions {
  readonly block: number;
  readonly fork?: string;
  readonly tx: string;
  readonly logIndex: number;
  /** Name of the account that placed the order. */
  readonly maker: string;
  /** Name of the counterparty's account; null in the taker order's own log. */
  readonly taker: string | null;
  readonly side: 'buy' | 'sell';
  readonly token: bigint;
  /** In units of 10^-6. */
  readonly usd: number;
  readonly qty: number;
  readonly exchange?: string;
  readonly removed?: boolean;
  readonly receivedAt?: number;
  /** In units of 10^-6. */
  readonly fee?: number;
  readonly builder?: bigint;
}

/** Builds a v2 `OrderFilled` log. */
export function fill(options: FillOptions): AnyRecord {
  const { block, fork = 'a', side, usd, qty, exchange = EXCHANGE, fee = 0, builder = 0n } = options;
  const [makerAmount, takerAmount] = side === 'buy' ? [usd, qty] : [qty, usd];
  const words = [
    side === 'buy' ? 0n : 1n,
    options.token,
    BigInt(makerAmount),
    BigInt(takerAmount),
    BigInt(fee),
    builder,
    0n,
  ];
  const account = (name: string) => pad(accountOf(name) as `0x${string}`, { size: 32 });
  const taker = options.taker === null ? pad(exchange as `0x${string}`, { size: 32 }) : account(options.taker);
  return raw('rpc', options.receivedAt ?? blockAt(block), {
    log: {
      address: exchange,
      topics: [CHAIN_EVENTS.orderFilledV2, hashOf(`order ${options.logIndex}`), account(options.maker), taker],
      data: encodeAbiParameters(
        words.map(() => ({ type: 'uint256' })),
        words,
      ),
      blockNumber: toHex(block),
      blockHash: hashOf(`${block}${fork}`),
      transactionHash: hashOf(options.tx),
      transactionIndex: '0x0',
      logIndex: toHex(options.logIndex),
      removed: options.removed ?? false,
    },
  });
}

/** Outputs of the stage by topic, in order. */
export interface Played {
  readonly trades: Trade[];
  readonly backfilledTrades: Trade[];
  readonly moves: PositionMove[];
  readonly collateral: CollateralChange[];
  readonly followedBlocks: FollowedBlock[];
  readonly backfilledEvents: BackfilledEvent[];
  readonly books: BookUpdate[];
  readonly markets: Market[];
  /** A tombstone is null. */
  readonly statuses: (MarketStatus | null)[];
  readonly frames: RawChannelFrame[];
  /** Payload of each frame as a subscriber gets it. */
  readonly payloads: string[];
  readonly phases: DisputePhase[];
  readonly resolutions: Resolution[];
  readonly dead: { reason: string; detail: string }[];
  /** The kind of each record of the topics above, in the order of emission. */
  readonly order: string[];
  readonly state: VenueBState;
}

export interface PlayOptions extends Partial<VenueBStageOptions> {
  /** If true, serializes and restores the state before every record, like a restart between any two. */
  readonly restarts?: boolean;
}

/** Runs the stage over the records. An exception of a handler fails the test: no message of a venue may cause one. */
export function play(records: readonly AnyRecord[], { restarts = false, ...options }: PlayOptions = {}): Played {
  const stage = createVenueBStage({ confirmations: 64, ...options });
  const handlers = new Map(stage.inputs.map((input) => [input.topic.name, input.handle]));
  const written = new Map<string, unknown[]>(stage.outputs.map((topic) => [topic.name, []]));
  const dead: Played['dead'] = [];
  const order: string[] = [];
  const emit: Emit = Object.assign(
    <T>(topic: Topic<T>, _: string, value: T) => {
      written.get(topic.name)!.push(value);
      order.push(topic.name.split('.')[1]!);
    },
    {
      remove: (topic: Topic) => void written.get(topic.name)!.push(null),
      deadLetter: (reason: string, detail: string) => void dead.push({ reason, detail }),
    },
  );
  let state = stage.initialState();
  for (const [offset, each] of records.entries()) {
    if (restarts) state = deserialize(serialize(state)) as VenueBState;
    handlers.get(each.topic)!(state, { ...each, offset } as StageRecord<never>, emit);
  }
  const of = <T>(kind: string) => written.get(`derived.${kind}.venue_b`) as T[];
  return {
    trades: of<Trade>('trades'),
    backfilledTrades: of<Trade>('backfilled-trades'),
    moves: of<PositionMove>('position-moves'),
    collateral: of<CollateralChange>('collateral-changes'),
    followedBlocks: of<FollowedBlock>('followed-blocks'),
    backfilledEvents: of<BackfilledEvent>('backfilled-events'),
    books: of<BookUpdate>('books'),
    markets: of<Market>('markets'),
    statuses: of<MarketStatus | null>('status'),
    frames: of<RawChannelFrame>('channels'),
    payloads: of<RawChannelFrame>('channels').map((frame) => payloadOf(records, frame)),
    phases: of<DisputePhase>('disputes'),
    resolutions: of<Resolution>('resolutions'),
    dead,
    order,
    state,
  };
}

/** Returns the part of a record that a frame refers to; the offset of a record is its index in the list. */
function payloadOf(records: readonly AnyRecord[], { topic, offset, start, length }: RawChannelFrame): string {
  const record = records[offset]!;
  if (record.topic !== topic) throw new Error(`${topic} has nothing at ${offset}`);
  return (record.value as RawEnvelope).payload.toString().slice(start, start + length);
}

const SHARED = process.env.PARALLAX_SHARED ?? '../shared';

/** Returns the path of a recorded file or folder; null if it does not exist here. */
export function sharedPath(path: string): string | null {
  const full = join(SHARED, path);
  return existsSync(full) ? full : null;
}

interface RecordedLine {
  readonly at: number;
  readonly source: string;
  readonly data?: unknown;
  readonly block?: unknown;
  readonly log?: unknown;
}

/** Reads every line of a recording, in the order of playback. */
export function readRecording(folder: string): AnyRecord[] {
  const lines = readdirSync(folder)
    .filter((file) => /\.ndjson(\.gz)?$/.test(file))
    .sort()
    .flatMap((file) => {
      const bytes = readFileSync(join(folder, file));
      const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as RecordedLine);
    });
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ at, source, data, block, log }) =>
      raw(source.slice('venue_b.'.length), at, block ? { block } : log ? { log } : data),
    );
}
