/**
 * Recordings: folders of `*.ndjson` files with one line for each message received, `{"at", "source", …}`, sorted by `at`.
 * The payload of a line is `data` (a frame, or with `request` a response), and for a chain `block`, `log` or `finalized`.
 * `feed` names the connection that received it. A line with `life` reports that a connection was made or lost.
 */
import { rawTopics } from '../topics/raw.ts';
import { jsonMembers, type TextRange } from './json-members.ts';
import { VENUES, type Venue } from './providers.ts';

/** A block header as a chain's feed carries it; every field in JSON-RPC encoding (hex quantities and hashes). */
export interface ChainBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: string;
}

/** A log in JSON-RPC encoding, after the header of its block. Nodes add fields; these are always present. */
export interface ChainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly logIndex: string;
}

/**
 * The payload of every record of `raw.<venue>.rpc`, as JSON: a header, a log of the header before it, or the number of
 * the newest block that the node calls final (hex quantity), recorded when it rises; or the hash of a
 * block (`complete`) all of whose logs were published before; or accounts (lower case) of which the
 * logs of all later blocks contain every transfer of collateral, each with the event time of its binding.
 */
export type ChainPayload =
  | { readonly block: ChainBlock }
  | { readonly log: ChainLog }
  | { readonly finalized: string }
  | { readonly complete: string }
  | { readonly collateral: readonly { readonly account: string; readonly ledger: number }[] };

/**
 * The payload of every record of `raw.venue_b.history`, as JSON: the logs of one transaction that a wallet's fills need,
 * in their order, with their block.
 */
export interface HistoryPayload {
  /** Number of the first block in `raw.venue_b.rpc`: from it on the service follows the chain. */
  readonly followedFrom: number;
  readonly block: Pick<ChainBlock, 'number' | 'hash' | 'timestamp'>;
  readonly logs: readonly ChainLog[];
  /**
   * Set once all later blocks were scanned, by a record without logs: event time of the binding from which on the transfers
   * of the account are read.
   */
  readonly collateral?: number;
}

/** Members with a chain's payload; in the raw topic they are wrapped as `{"<member>":…}`. */
const CHAIN_MEMBERS = ['block', 'log', 'finalized'] as const;

/** What can happen to a connection. */
const LIVES = ['connected', 'disconnected'] as const;
export type ConnectionLife = (typeof LIVES)[number];

/** One line of a recording. */
export interface RecordedLine {
  /** When it was received, unix ms. */
  readonly at: number;
  /** `<venue>.<stream>`. */
  readonly source: string;
  readonly venue: Venue;
  readonly stream: string;
  /** The connection; the source for a line that names none. */
  readonly feed: string;
  /** What happened to the connection, for a line that reports it: it has no payload. Null for a message. */
  readonly life: ConnectionLife | null;
  /** For a response: a JSON body, or `GET /path?query`. */
  readonly request: string | null;
  /** JSON text exactly as in the line; for a chain `{"block":…}`, `{"log":…}` or `{"finalized":…}`. */
  readonly payload: string;
  /** False for a line that is cut off or has no known payload: `payload` is then what the line has. */
  readonly wellFormed: boolean;
}

/** Thrown when a recording cannot be played further; names the file and the line. A retry cannot succeed. */
export class RecordingError extends Error {
  override name = 'RecordingError';
  readonly canRetry = false;
  readonly code:
    | 'recording_unreadable_line'
    | 'recording_unknown_source'
    | 'recording_unsorted'
    | 'recording_empty'
    | 'recording_differs';
  constructor(code: RecordingError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The location of a line, for messages. */
export interface LineLocation {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

const SHOWN_CHARACTERS = 80;

/** Splits `venue_a.ws` into venue and stream; null when no raw topic stores such a source. */
export function parseSource(source: string): { readonly venue: Venue; readonly stream: string } | null {
  const dot = source.indexOf('.');
  const venue = VENUES.find((name) => name === source.slice(0, dot));
  if (!venue || !rawTopics.has(`raw.${source}`)) return null;
  return { venue, stream: source.slice(dot + 1) };
}

/**
 * Parses one line. A line whose `at` and `source` are readable is always accepted: the processors validate its payload,
 * as they do for everything that a venue sends. Throws a `RecordingError` otherwise.
 */
export function parseRecordingLine(text: string, location: LineLocation): RecordedLine {
  const { members, complete } = jsonMembers(text);
  const at = readTime(text, members.get('at'));
  const source = readText(text, members.get('source'));
  if (at === null || source === null)
    throw new RecordingError(
      'recording_unreadable_line',
      `${location.file} line ${location.line} has no readable "at" and "source": ${shorten(text)}`,
    );
  const known = parseSource(source);
  if (!known)
    throw new RecordingError(
      'recording_unknown_source',
      `${location.file} line ${location.line} has the unknown source ${shorten(source)}`,
    );
  const feed = readText(text, members.get('feed')) ?? source;
  const life = LIVES.find((name) => name === readText(text, members.get('life'))) ?? null;
  if (life) return { at, source, ...known, feed, life, request: null, payload: '', wellFormed: complete };
  const payload = payloadOf(text, members);
  const request = members.get('request');
  return {
    at,
    source,
    ...known,
    feed,
    life,
    request: request ? (readText(text, request) ?? sliceOf(text, request)) : null,
    payload: payload ?? text,
    wellFormed: complete && payload !== null,
  };
}

/** The fields of a raw record that `formatRecordingLine` needs. */
export interface RecordablePayload {
  readonly at: number;
  readonly source: string;
  readonly feed: string;
  readonly request: string | null;
  /** JSON text. */
  readonly payload: string;
}

/**
 * Formats one line, without its line end, so that `parseRecordingLine` returns the same values. Line ends in the JSON can
 * only occur between tokens and become blanks. Null for a payload that is no JSON, e.g. a venue's text `PONG`.
 */
export function formatRecordingLine(recorded: RecordablePayload): string | null {
  if (!isJson(recorded.payload)) return null;
  const data = recorded.payload.replaceAll('\r', ' ').replaceAll('\n', ' ').trim();
  const head = headOf(recorded);
  const chain = chainMember(data);
  if (chain) return `${head},${chain}}`;
  const { request } = recorded;
  const question = request === null ? '' : `,"request":${isJson(request) ? request : JSON.stringify(request)}`;
  return `${head}${question},"data":${data}}`;
}

/** Formats the line that reports what happened to a connection. */
export function formatLifeLine(place: Omit<RecordablePayload, 'request' | 'payload'>, life: ConnectionLife): string {
  return `${headOf(place)},"life":"${life}"}`;
}

/** The start of a line. A feed is named unless it is the only one of its source. */
function headOf({ at, source, feed }: Omit<RecordablePayload, 'request' | 'payload'>): string {
  const name = feed === source ? '' : `,"feed":${JSON.stringify(feed)}`;
  return `{"at":${at},"source":${JSON.stringify(source)}${name}`;
}

/** `"block":…` of `{"block":…}`; null for a payload that is not of a chain. */
function chainMember(data: string): string | null {
  if (!CHAIN_MEMBERS.some((member) => data.startsWith(`{"${member}":`))) return null;
  return jsonMembers(data).members.size === 1 ? data.slice(1, -1) : null;
}

function payloadOf(text: string, members: ReadonlyMap<string, TextRange>): string | null {
  const data = members.get('data');
  if (data) return sliceOf(text, data);
  for (const name of CHAIN_MEMBERS) {
    const value = members.get(name);
    if (value) return `{"${name}":${sliceOf(text, value)}}`;
  }
  return null;
}

function readTime(text: string, range: TextRange | undefined): number | null {
  if (!range) return null;
  const written = sliceOf(text, range);
  return /^\d{1,15}$/.test(written) ? Number(written) : null;
}

function readText(text: string, range: TextRange | undefined): string | null {
  if (!range || text[range.start] !== '"' || text[range.end - 1] !== '"') return null;
  const written = sliceOf(text, range);
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return JSON.parse(written) as string;
  } catch {
    // Not a JSON string, so not readable: the caller reports the location.
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const sliceOf = (text: string, range: TextRange) => text.slice(range.start, range.end);
const shorten = (text: string) => JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
