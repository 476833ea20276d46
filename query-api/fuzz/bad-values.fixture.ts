/** Invalid and unusual values for fuzzing. */
import fc from 'fast-check';

/** Placeholder that the body text replaces by lists nested deeper than any stack. */
const DEEP = '@deep@';
const DEEP_LEVELS = 50_000;
const LONG = 10_000;

/** Names of inherited properties, and other names that are not fields. */
export const ODD_NAMES = [
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  '',
  ' ',
  'a.b',
  'a:b; c',
  'x'.repeat(300),
  'ключ',
  '\u0000',
  '0',
  '$where',
];

/** Texts for a URL or a field. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t\r\n',
    '\u0000',
    'a\u0000b',
    'null',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
    'true',
    '[object Object]',
    '__proto__',
    'constructor',
    '-1',
    '-0',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '٣',
    '9'.repeat(40),
    `-${'9'.repeat(400)}`,
    "' OR 1=1 --",
    '\\',
    '{x:String}',
    '%',
    '%00',
    '../../etc/passwd',
    '..',
    '/',
    '\ud800',
    '\u202e\ufeff',
    '😀'.repeat(50),
    'x'.repeat(257),
    'x'.repeat(LONG),
    '+275760-09-13T00:00:00.001Z',
    '2026-02-30',
    '8640000000000001',
    '-62135596800000',
    '0000-01-01',
    '9999-12-31T23:59:59.999999999Z',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
);

/** JSON values for a field of a body. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    -1e308,
    1e308,
    5e-324,
    Number.MAX_SAFE_INTEGER + 2,
    [],
    [null],
    [[]],
    [['read']],
    {},
    { length: 1 },
    { toString: 'x' },
    { toJSON: 1 },
    DEEP,
    Array(2_000).fill('read'),
  ),
  oddText,
  fc.array(oddText, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 4 }),
);

/**
 * The text of a body. `DEEP` is replaced here because `JSON.stringify` would overflow on nested lists of that depth.
 */
export function bodyText(body: unknown): string {
  return JSON.stringify(body).replaceAll(`"${DEEP}"`, () => '['.repeat(DEEP_LEVELS) + ']'.repeat(DEEP_LEVELS));
}

const bytes = (...all: number[]) => Buffer.from(all);

/** Bodies that are not JSON, or that must be refused. */
export const BROKEN_BODIES: readonly (string | Buffer)[] = [
  '{',
  '}',
  '{"name":}',
  '{"name":"a",}',
  "{'name':'a'}",
  '[1,2',
  'NaN',
  '{"name":NaN}',
  '{"name":1e}',
  'undefined',
  '\u0000',
  ' ',
  '{"a":"\u0001"}',
  '"\\ud800',
  '{"a":1}{"b":2}',
  '{"__proto__":{"admin":true}}',
  '{"name":"a","constructor":{"prototype":{"admin":true}}}',
  '{"a":{"__proto__":null}}',
  '['.repeat(DEEP_LEVELS),
  `${'{"a":'.repeat(DEEP_LEVELS)}1${'}'.repeat(DEEP_LEVELS)}`,
  bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
  bytes(0xc3, 0x28),
  bytes(0x1f, 0x8b, 0x08, 0x00),
  Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from('{"name":"bom"}')]),
  'name=a&plan=free',
  '<x/>',
];

/** Unsupported or malformed content types. */
export const ODD_TYPES: readonly string[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json;',
  'application/json; charset="',
  'APPLICATION/JSON',
  'application/problem+json',
  'json',
  '',
  ' ',
  'application/json, text/plain',
  '*/*',
  'x'.repeat(1_000),
];

/** Raw path segments, not percent-encoded. */
export const ODD_SEGMENTS: readonly string[] = [
  '%',
  '%2',
  '%zz',
  '%00',
  '%ff',
  '%c0%ae',
  '%ed%a0%80',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%252F',
  '%5c',
  '%3F',
  '%23',
  ';x=1',
  ':id',
  '*',
  '(',
  '__proto__',
  'constructor',
  '%F0%9F%98%80',
  'x'.repeat(256),
  'x'.repeat(257),
  '%41'.repeat(300),
];

/** Unusual headers, which Node's client sends unchanged. None of them alone makes a valid request invalid. */
export const ODD_HEADERS: readonly (readonly [string, string | readonly string[]])[] = [
  ['x-request-id', ''],
  ['x-request-id', 'a client id'],
  ['x-request-id', 'x'.repeat(128)],
  ['x-request-id', 'x'.repeat(129)],
  ['x-request-id', 'caf\u00e9'],
  ['x-request-id', ['one', 'two']],
  ['x-request-id', '"},{"'],
  ['accept-encoding', 'gzip'],
  ['accept-encoding', 'br;q=0.5, gzip;q=1.0'],
  ['accept-encoding', '*'],
  ['accept-encoding', 'identity;q=0, *;q=0'],
  ['accept-encoding', ';;q=,,=;'],
  ['accept-encoding', 'gzip;q=NaN, br;q=-1'],
  ['accept-encoding', 'x'.repeat(2_000)],
  ['accept', 'text/html'],
  ['accept', ';;;'],
  ['accept-charset', 'utf-7'],
  ['if-none-match', '*'],
  ['if-none-match', '"x", W/"y'],
  ['if-modified-since', 'never'],
  ['range', 'bytes=0-0'],
  ['range', 'bytes=9-1'],
  ['cookie', 'plx_session=x'],
  ['cookie', `plx_session=${'A'.repeat(43)}; plx_session=${'B'.repeat(43)}`],
  ['cookie', ';;=;=a;plx_session'],
  ['cookie', `a=${'x'.repeat(4_000)}`],
  ['host', ''],
  ['host', '[::1'],
  ['host', 'a b, c'],
  ['origin', 'null'],
  ['origin', 'https://evil.example'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', "'; --"],
  ['x-parallax-csrf', 'x'],
  ['te', 'trailers, deflate;q=0.5'],
  ['connection', 'x-request-id, close'],
  ['upgrade', 'websocket'],
  ['content-language', '\u00ff'],
];

/** Values of `Authorization` without a valid key. None names an existing key, since that would cost a hash. */
export const ODD_AUTHORIZATIONS: readonly string[] = [
  '',
  ' ',
  'Bearer',
  'Bearer ',
  'Bearer  ',
  'Bearer x y',
  'Basic dXNlcjpwYXNz',
  'Digest username="x"',
  'Bearer plx_live_nonsense',
  `Bearer plx_live_00000000-0000-4000-8000-000000000000.${'A'.repeat(43)}`,
  `Bearer plx_test_00000000-0000-4000-8000-000000000000.${'A'.repeat(43)}`,
  `Bearer plx_live___proto__.${'A'.repeat(43)}`,
  `Bearer ${'x'.repeat(4_000)}`,
  'Bearer \u00ff\u00fe',
  'Bearer\tplx_live_x',
];

/** Invalid values of `Idempotency-Key`; the last two are valid. */
export const ODD_IDEMPOTENCY_KEYS: readonly (string | readonly string[])[] = [
  '',
  'x'.repeat(256),
  'x'.repeat(1_000),
  ['one', 'one'],
  '__proto__',
  'caf\u00e9 \u00ff',
  'x'.repeat(255),
  'again',
];
