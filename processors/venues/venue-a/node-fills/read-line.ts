/** Reads one line of a node's files of fills: a block, or one fill without a block (venue page, section 10). */
import {
  FieldError,
  isJsonObject,
  type JsonObject,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '#schemas/domain/json-fields';

export interface FillLine {
  /** Null in a line without a block. */
  readonly blockNumber: number | null;
  /** Time of the block, unix ms. */
  readonly time: number;
  /** Pairs of a user and a fill, in the order of execution, not validated. */
  readonly events: readonly unknown[];
}

/** A fill with what identifies it. */
export interface ReadFill {
  readonly user: string;
  readonly coin: string;
  readonly time: number;
  readonly tid: number;
  readonly fill: JsonObject;
}

/** ISO-8601 in UTC with up to nanoseconds; the node writes no zone. */
const BLOCK_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z?$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Throws `SyntaxError` or `FieldError` for a line of another form. */
export function readLine(text: string): FillLine {
  const line: unknown = JSON.parse(text);
  if (Array.isArray(line)) return { blockNumber: null, time: readFill(line).time, events: [line] };
  const block = readObject(line, 'line');
  return {
    blockNumber: readInteger(block.block_number, 'block_number'),
    time: readBlockTime(block.block_time),
    events: readList(block.events, 'events'),
  };
}

/** Reads a pair of a user and a fill. Throws `FieldError`. */
export function readFill(event: unknown): ReadFill {
  const [address, value] = readList(event, 'event');
  const user = readText(address, 'user').toLowerCase();
  if (!ADDRESS.test(user)) throw new FieldError('user', 'an address', address);
  if (!isJsonObject(value)) throw new FieldError('fill', 'an object', value);
  try {
    return {
      user,
      coin: readText(value.coin, 'coin'),
      time: readInteger(value.time, 'time'),
      tid: readInteger(value.tid, 'tid'),
      fill: value,
    };
  } catch (error) {
    throw withPath(error, 'fill');
  }
}

function readBlockTime(value: unknown): number {
  const [, seconds, fraction = ''] = BLOCK_TIME.exec(readText(value, 'block_time')) ?? [];
  const time = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(time)) throw new FieldError('block_time', 'an ISO time in UTC', value);
  return time;
}
