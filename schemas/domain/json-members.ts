/**
 * Finds the positions of the members of a JSON object or the elements of a JSON list in its text. A recording stores what
 * a venue sent verbatim, and re-serialising it would change numbers (`3331.0`), spacing and the order of keys; so a value
 * is copied as its slice of the text. Values are skipped, not validated.
 */

/** A half-open range of the text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface JsonMembers {
  /** The value of every member found; the last one of a name that occurs twice. */
  readonly members: ReadonlyMap<string, TextRange>;
  /** False when the text is not exactly one complete object: the last member then reaches to the end of the text. */
  readonly complete: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Finds the elements of the list in `text`, in order. The text must be complete JSON. */
export function jsonElements(text: string): TextRange[] {
  const elements: TextRange[] = [];
  let at = skipBlank(text, text.indexOf('[') + 1);
  while (text.charCodeAt(at) !== CLOSE_LIST) {
    const end = valueEnd(text, at);
    if (end <= at) throw new RangeError('the text is no JSON list');
    elements.push({ start: at, end });
    at = skipBlank(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipBlank(text, at + 1);
  }
  return elements;
}

/** Finds the top-level members of the object in `text`. */
export function jsonMembers(text: string): JsonMembers {
  const members = new Map<string, TextRange>();
  let at = skipBlank(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return { members, complete: false };
  at = skipBlank(text, at + 1);
  if (text.charCodeAt(at) === CLOSE_OBJECT) return { members, complete: skipBlank(text, at + 1) === text.length };
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return { members, complete: false };
    const nameEnd = stringEnd(text, at);
    if (nameEnd < 0) return { members, complete: false };
    const name = text.slice(at + 1, nameEnd - 1);
    at = skipBlank(text, nameEnd);
    if (text.charCodeAt(at) !== COLON) return { members, complete: false };
    const start = skipBlank(text, at + 1);
    const end = valueEnd(text, start);
    if (end <= start) {
      members.set(name, { start, end: text.length });
      return { members, complete: false };
    }
    members.set(name, { start, end });
    at = skipBlank(text, end);
    const next = text.charCodeAt(at);
    if (next === CLOSE_OBJECT) return { members, complete: skipBlank(text, at + 1) === text.length };
    if (next !== COMMA) return { members, complete: false };
    at = skipBlank(text, at + 1);
  }
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) break;
  }
  return at;
}

/** Index after the closing quote of the string that begins at `from`, or -1. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return -1;
}

/** Index after the value that begins at `from`, or -1 when it does not end. */
function valueEnd(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return stringEnd(text, from);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return nestedEnd(text, from);
  let at = from;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COMMA || unit === CLOSE_OBJECT || unit === CLOSE_LIST || unit <= 0x20) return at;
  }
  return -1;
}

function nestedEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = stringEnd(text, at) - 1;
      if (at < 0) return -1;
    } else if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth += 1;
    else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
