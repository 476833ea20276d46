/**
 * Recordings: folders of `*.ndjson` files, a line for each thing received, `{"at", "source", …}`, sorted by `at`.
 * What the line carries is `data` (a frame, or with `request` an answer), and for a chain `block`, `log` or `finalized`.
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

/** A log in JSON-RPC encoding, after the header of its block. Nodes add fields; these are there always. */
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
 * the newest block that the node calls final (hex quantity), told when it rises.
 */
export type ChainPayload = { readonly block: ChainBlock } | { readonly log: ChainLog } | { readonly finalized: string };

/**
 * The payload of every record of `raw.venue_b.history`, as JSON: logs of one transaction that a wallet's fills need, in
 * their order, with the block that holds them.
 */
export interface HistoryPayload {
  /** Number of the first block that stands in `raw.venue_b.rpc`: from it on the chain is followed. */
  readonly followedFrom: number;
  readonly block: Pick<ChainBlock, 'number' | 'hash' | 'timestamp'>;
  readonly logs: readonly ChainLog[];
}

/** Members that carry a chain's payload; in the raw topic they are wrapped as `{"<member>":…}`. */
export const CHAIN_MEMBERS = ['block', 'log', 'finalized'] as const;

/** One line of a recording. */
export interface RecordedLine {
  /** When it was received, unix ms. */
  readonly at: number;
  /** `<venue>.<stream>`. */
  readonly source: string;
  readonly venue: Venue;
  readonly stream: string;
  /** For an answer: a JSON body, or `GET /path?query`. */
  readonly request: string | null;
  /** JSON text exactly as in the line; for a chain `{"block":…}`, `{"log":…}` or `{"finalized":…}`. */
  readonly payload: string;
  /** False for a line that breaks off or carries nothing known: its payload is what there is of it. */
  readonly wellFormed: boolean;
}

/** Why a recording cannot be played on; names the file and the line. Retrying does not help. */
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

/** Where a line stands, for messages. */
export interface LinePlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

const SHOWN_CHARACTERS = 80;

/** Splits `venue_a.ws` into venue and stream; null when no raw topic keeps such a source. */
export function parseSource(source: string): { readonly venue: Venue; readonly stream: string } | null {
  const dot = source.indexOf('.');
  const venue = VENUES.find((name) => name === source.slice(0, dot));
  if (!venue || !rawTopics.has(`raw.${source}`)) return null;
  return { venue, stream: source.slice(dot + 1) };
}

/**
 * Reads one line. A line whose `at` and `source` are readable is never refused: what it carries is judged by the
 * processors, as everything that a venue says. Throws a `RecordingError` otherwise.
 */
export function parseRecordingLine(text: string, place: LinePlace): RecordedLine {
  const { members, whole } = jsonMembers(text);
  const at = readTime(text, members.get('at'));
  const source = readText(text, members.get('source'));
  if (at === null || source === null)
    throw new RecordingError(
      'recording_unreadable_line',
      `${place.file} line ${place.line} has no readable "at" and "source": ${shorten(text)}`,
    );
  const known = parseSource(source);
  if (!known)
    throw new RecordingError(
      'recording_unknown_source',
      `${place.file} line ${place.line} is of the source ${shorten(source)}, which no topic keeps`,
    );
  const payload = payloadOf(text, members);
  const request = members.get('request');
  return {
    at,
    source,
    ...known,
    request: request ? (readText(text, request) ?? cut(text, request)) : null,
    payload: payload ?? text,
    wellFormed: whole && payload !== null,
  };
}

/** What `formatRecordingLine` needs of a raw record. */
export interface RecordablePayload {
  readonly at: number;
  readonly source: string;
  readonly request: string | null;
  /** JSON text. */
  readonly payload: string;
}

/**
 * Writes one line, without its line end, so that `parseRecordingLine` gives the same back. Line ends inside the JSON
 * can only stand between tokens and become blanks. Null for a payload that is no JSON, as a venue's text `PONG`.
 */
export function formatRecordingLine(recorded: RecordablePayload): string | null {
  if (!isJson(recorded.payload)) return null;
  const data = recorded.payload.replaceAll('\r', ' ').replaceAll('\n', ' ').trim();
  const head = `{"at":${recorded.at},"source":${JSON.stringify(recorded.source)}`;
  const chain = chainMember(data);
  if (chain) return `${head},${chain}}`;
  const { request } = recorded;
  const question = request === null ? '' : `,"request":${isJson(request) ? request : JSON.stringify(request)}`;
  return `${head}${question},"data":${data}}`;
}

/** `"block":…` of `{"block":…}`; null for what is no chain payload. */
function chainMember(data: string): string | null {
  if (!CHAIN_MEMBERS.some((member) => data.startsWith(`{"${member}":`))) return null;
  return jsonMembers(data).members.size === 1 ? data.slice(1, -1) : null;
}

function payloadOf(text: string, members: ReadonlyMap<string, TextRange>): string | null {
  const data = members.get('data');
  if (data) return cut(text, data);
  for (const name of CHAIN_MEMBERS) {
    const value = members.get(name);
    if (value) return `{"${name}":${cut(text, value)}}`;
  }
  return null;
}

function readTime(text: string, range: TextRange | undefined): number | null {
  if (!range) return null;
  const written = cut(text, range);
  return /^\d{1,15}$/.test(written) ? Number(written) : null;
}

function readText(text: string, range: TextRange | undefined): string | null {
  if (!range || text[range.start] !== '"' || text[range.end - 1] !== '"') return null;
  const written = cut(text, range);
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return JSON.parse(written) as string;
  } catch {
    // No JSON string, so not readable: the caller says where.
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

const cut = (text: string, range: TextRange) => text.slice(range.start, range.end);
const shorten = (text: string) => JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
