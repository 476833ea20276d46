import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonElements, jsonMembers } from './json-members.ts';
import { formatLifeLine, formatRecordingLine, parseRecordingLine, parseSource, RecordingError } from './recording.ts';

const location = { file: 'ws.ndjson', line: 7 };
const parse = (text: string) => parseRecordingLine(text, location);

describe('parseRecordingLine', () => {
  it('returns the data exactly as the line contains it', () => {
    const data = '{"px":"3331.0", "n":1.0e2,  "s":"a\\"}b\\\\" , "l":[1,{"x":[]}]}';
    const line = parse(`{"at":1700000000123,"source":"venue_a.ws","data":${data}}`);
    expect(line).toEqual({
      at: 1700000000123,
      source: 'venue_a.ws',
      venue: 'venue_a',
      stream: 'ws',
      feed: 'venue_a.ws',
      life: null,
      request: null,
      payload: data,
      wellFormed: true,
    });
  });

  it('returns a request body as its JSON text and a path as text', () => {
    expect(parse('{"at":1,"source":"venue_a.info","request":{"type":"meta", "dex":""},"data":[]}').request).toBe(
      '{"type":"meta", "dex":""}',
    );
    expect(parse('{"at":1,"source":"venue_b.gamma","request":"GET /tags?q=\\"x\\"","data":[]}').request).toBe(
      'GET /tags?q="x"',
    );
  });

  it.each(['block', 'log', 'finalized'])('wraps a %s of a chain as in the raw topic', (member) => {
    const line = parse(`{"at":5,"source":"venue_b.rpc","${member}":{"number":"0x1f"}}`);
    expect(line.payload).toBe(`{"${member}":{"number":"0x1f"}}`);
    expect(line.wellFormed).toBe(true);
  });

  it('returns the connection that a line names, and what happened to it', () => {
    const place = '{"at":5,"source":"venue_a.ws","feed":"venue_a.ws.3"';
    expect(parse(`${place},"data":1}`)).toMatchObject({ feed: 'venue_a.ws.3', life: null, payload: '1' });
    const lost = { feed: 'venue_a.ws.3', life: 'disconnected', request: null, payload: '', wellFormed: true };
    expect(parse(`${place},"life":"disconnected"}`)).toMatchObject(lost);
    expect(parse('{"at":5,"source":"venue_a.info","life":"connected"}')).toMatchObject({
      feed: 'venue_a.info',
      life: 'connected',
    });
    expect(parse(`${place},"life":"gone"}`)).toMatchObject({ life: null, wellFormed: false });
  });

  it('returns the rest of a line that is cut off inside its data', () => {
    const line = parse('{"at":5,"source":"venue_a.ws","data":{"channel":"tra');
    expect(line.payload).toBe('{"channel":"tra');
    expect(line.wellFormed).toBe(false);
  });

  it('returns the complete text of a line without a known payload', () => {
    const text = '{"at":5,"source":"venue_a.ws","frame":{}}';
    expect(parse(text)).toMatchObject({ payload: text, wellFormed: false });
  });

  it.each([
    ['no JSON at all', 'hello', 'recording_unreadable_line'],
    ['a time that is no whole number', '{"at":"5","source":"venue_a.ws","data":1}', 'recording_unreadable_line'],
    ['no source', '{"at":5,"data":1}', 'recording_unreadable_line'],
    ['a source that no topic stores', '{"at":5,"source":"venue_a.rpc","data":1}', 'recording_unknown_source'],
  ])('refuses %s and names file and line', (_, text, code) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code, canRetry: false }));
    expect(() => parse(text)).toThrow(/ws\.ndjson line 7/);
  });
});

describe('parseSource', () => {
  it('splits a source that has a raw topic', () => {
    expect(parseSource('venue_b.clob_ws')).toEqual({ venue: 'venue_b', stream: 'clob_ws' });
  });
  it.each(['venue_b', 'venue_x.ws', '.ws', 'venue_b.feeds'])('returns null for the source %s', (source) => {
    expect(parseSource(source)).toBeNull();
  });
});

describe('formatRecordingLine', () => {
  const round = (recorded: Parameters<typeof formatRecordingLine>[0]) => parse(formatRecordingLine(recorded)!);

  it.each([
    { at: 1, source: 'venue_a.ws', feed: 'venue_a.ws.3', request: null, payload: '{"channel":"pong"}' },
    { at: 2, source: 'venue_a.info', feed: 'venue_a.info', request: '{"type":"meta"}', payload: '[1.50, "x"]' },
    {
      at: 3,
      source: 'venue_b.gamma',
      feed: 'venue_b.gamma',
      request: 'GET /events/keyset?limit=2',
      payload: '{"next_cursor":"a"}',
    },
    { at: 4, source: 'venue_b.rpc', feed: 'venue_b.rpc', request: null, payload: '{"block":{"number":"0x1"}}' },
    { at: 5, source: 'venue_b.rpc', feed: 'venue_b.rpc', request: null, payload: '{"finalized":"0x1"}' },
  ])('formats what parsing returns: $payload', (recorded) => {
    expect(round(recorded)).toMatchObject({ ...recorded, wellFormed: true });
  });

  it('writes one line for a response of several lines', () => {
    const line = formatRecordingLine({
      at: 1,
      source: 'venue_a.info',
      feed: 'venue_a.info',
      request: null,
      payload: '{\r\n "a": [\n1]\n}\n',
    })!;
    expect(line).not.toMatch(/[\r\n]/);
    expect(JSON.parse(line).data).toEqual({ a: [1] });
  });

  it('returns null for a payload that is no JSON', () => {
    const place = { at: 1, source: 'venue_b.clob_ws', feed: 'venue_b.clob_ws.0' };
    expect(formatRecordingLine({ ...place, request: null, payload: 'PONG' })).toBeNull();
  });

  it('is accompanied by lines about connections, which parsing returns', () => {
    const place = { at: 5, source: 'venue_a.ws', feed: 'venue_a.ws.3' };
    expect(parse(formatLifeLine(place, 'connected'))).toMatchObject({ ...place, life: 'connected', payload: '' });
  });
});

describe('jsonElements', () => {
  const elementsOf = (text: string) => jsonElements(text).map(({ start, end }) => text.slice(start, end));

  it('finds each element with its exact text', () => {
    expect(elementsOf(' [ {"a":"]},["} ,1.0,"é,\\"",[ ] , null]\n')).toEqual([
      '{"a":"]},["}',
      '1.0',
      '"é,\\""',
      '[ ]',
      'null',
    ]);
    expect(elementsOf('[ ]')).toEqual([]);
  });

  it('finds the elements of any list', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(3), (list, indent) => {
        const text = JSON.stringify(list, null, indent);
        expect(elementsOf(text).map((element) => JSON.parse(element))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('jsonMembers', () => {
  it('finds in any object the members that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.jsonValue()), fc.boolean(), (object, pretty) => {
        const text = JSON.stringify(object, null, pretty ? 2 : 0);
        const { members, complete } = jsonMembers(text);
        const read = [...members].map(([name, { start, end }]) => [name, JSON.parse(text.slice(start, end))]);
        expect(complete).toBe(true);
        expect(Object.fromEntries(read)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reports no cut-off object as complete', () => {
    const text = '{"a":{"b":"}"},"c":[1,"\\""],"d":12}';
    for (let end = 0; end < text.length; end += 1) expect(jsonMembers(text.slice(0, end)).complete).toBe(false);
  });

  it('reports an object followed by more text as incomplete', () => {
    expect(jsonMembers('{"a":1} x').complete).toBe(false);
  });
});

it('a RecordingError cannot be retried', () => {
  expect(new RecordingError('recording_empty', 'nothing').canRetry).toBe(false);
});
