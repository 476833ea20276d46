/**
 * Parses the envelopes of venue_a (venue page, sections 3 and 7): `{"channel": …, "data": …}` on a socket, and the
 * request body of an `info` answer.
 */
import { isJsonObject, type JsonObject, readObject, readText } from '#schemas/domain/json-fields';
import { jsonMembers } from '#schemas/domain/json-members';
import type { TextPiece } from '../../../shared/emit-raw.ts';
import { MalformedError, parseJson } from '../../shared/malformed.ts';

/** A frame whose data is parsed but not validated. */
export interface Frame {
  readonly channel: string;
  readonly data: unknown;
  /** Position of the data in the frame's text. */
  readonly piece: TextPiece;
}

const HEAD = '{"channel":"';
const MIDDLE = '","data":';

/** Parses a frame; null for one without channel or data, such as a pong. Throws `MalformedError` (`malformed_json`). */
export function parseFrame(text: string): Frame | null {
  return parseUsualFrame(text) ?? parseAnyFrame(text);
}

/**
 * Locates channel and data without parsing: the venue writes every frame with the channel first and the data last. The
 * data is valid only once it was parsed. Returns null for a text of another form.
 */
export function splitFrame(text: string): Pick<Frame, 'channel' | 'piece'> | null {
  if (!text.startsWith(HEAD) || !text.endsWith('}')) return null;
  const nameEnd = text.indexOf('"', HEAD.length);
  const channel = text.slice(HEAD.length, nameEnd);
  if (!text.startsWith(MIDDLE, nameEnd) || channel.includes('\\')) return null;
  const start = nameEnd + MIDDLE.length;
  return { channel, piece: { start, length: text.length - 1 - start } };
}

function parseUsualFrame(text: string): Frame | null {
  const parts = splitFrame(text);
  if (!parts) return null;
  try {
    return { ...parts, data: JSON.parse(text.slice(parts.piece.start, -1)) };
  } catch {
    // Either another form or invalid JSON: parsing the complete text shows which.
    return null;
  }
}

function parseAnyFrame(text: string): Frame | null {
  const frame = parseJson(text, 'malformed_json');
  if (!isJsonObject(frame)) return null;
  const { channel, data } = frame;
  const range = jsonMembers(text).members.get('data');
  if (typeof channel !== 'string' || !range) return null;
  return { channel, data, piece: { start: range.start, length: range.end - range.start } };
}

/** Parses the request body of an `info` answer. Throws `MalformedError` (`malformed_answer`) or `FieldError`. */
export function parseRequest(request: string | null): JsonObject & { readonly type: string } {
  if (request === null) throw new MalformedError('malformed_answer', 'request: expected a body, got nothing');
  const body = readObject(parseJson(request, 'malformed_answer'), 'request');
  return { ...body, type: readText(body.type, 'request.type') };
}
