/**
 * The envelope of what venue_a sends (venue page, sections 3 and 7): `{"channel": …, "data": …}` on a socket, and for an
 * `info` answer the body that was asked with.
 */
import { jsonMembers } from '#schemas/domain/json-members';
import type { TextPiece } from '../../shared/tell-raw.ts';
import { type Fields, readObject } from './fields.ts';
import { MalformedError } from './malformed-error.ts';

/** A frame whose data is parsed but not looked at. */
export interface Frame {
  readonly channel: string;
  readonly data: unknown;
  /** The piece of the frame's text that its data is. */
  readonly piece: TextPiece;
}

const HEAD = '{"channel":"';
const MIDDLE = '","data":';

/** Reads a frame; null for one without a channel or data, as a pong. Throws `MalformedError` (`malformed_json`). */
export function parseFrame(text: string): Frame | null {
  return parseUsualFrame(text) ?? parseAnyFrame(text);
}

/**
 * The venue writes every frame with the channel first and the data last: says where they are. Only once the
 * piece was read it is known to be whole. Null for a text that is written otherwise.
 */
export function cutFrame(text: string): Pick<Frame, 'channel' | 'piece'> | null {
  if (!text.startsWith(HEAD) || !text.endsWith('}')) return null;
  const nameEnd = text.indexOf('"', HEAD.length);
  const channel = text.slice(HEAD.length, nameEnd);
  if (!text.startsWith(MIDDLE, nameEnd) || channel.includes('\\')) return null;
  const start = nameEnd + MIDDLE.length;
  return { channel, piece: { start, length: text.length - 1 - start } };
}

function parseUsualFrame(text: string): Frame | null {
  const cut = cutFrame(text);
  if (!cut) return null;
  try {
    return { ...cut, data: JSON.parse(text.slice(cut.piece.start, -1)) };
  } catch {
    // Not as usual, or no JSON at all: reading the whole text tells which.
    return null;
  }
}

function parseAnyFrame(text: string): Frame | null {
  const frame = parseJson(text, 'malformed_json');
  if (typeof frame !== 'object' || frame === null) return null;
  const { channel, data } = frame as Fields;
  const range = jsonMembers(text).members.get('data');
  if (typeof channel !== 'string' || !range) return null;
  return { channel, data, piece: { start: range.start, length: range.end - range.start } };
}

/** The body that an `info` answer was asked with. Throws `MalformedError` (`malformed_answer`). */
export function parseRequest(request: string | null): Fields & { readonly type: string } {
  if (request === null) throw new MalformedError('malformed_answer', 'request: expected a body, got nothing');
  const body = readObject(parseJson(request, 'malformed_answer'), 'request');
  if (typeof body.type !== 'string') throw new MalformedError('malformed_answer', 'request.type: expected text');
  return body as Fields & { readonly type: string };
}

/** Throws `MalformedError` with the given code. */
export function parseJson(text: string, code: MalformedError['code']): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedError(code, (error as Error).message, { cause: error });
  }
}
