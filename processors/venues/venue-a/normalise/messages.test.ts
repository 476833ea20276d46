import { describe, expect, it } from 'vitest';
import { MalformedError } from '../../shared/malformed.ts';
import { parseFrame, parseRequest } from './messages.ts';

const codeOf = (f: () => unknown): string => {
  try {
    f();
  } catch (error) {
    if (error instanceof MalformedError) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('a frame', () => {
  it('is parsed into channel, data and the original text of the data', () => {
    const text = '{"channel":"l2Book","data":{"px":"3331.0", "n":1e2}}';
    expect(parseFrame(text)).toEqual({
      channel: 'l2Book',
      data: { px: '3331.0', n: 100 },
      piece: { start: text.indexOf('{"px"'), length: '{"px":"3331.0", "n":1e2}'.length },
    });
  });

  it.each([
    ['blanks', '{ "channel" : "x" , "data" : {"a": "}"} }\n', '{"a": "}"}'],
    ['another order', '{"data":[1, 2],"channel":"x"}', '[1, 2]'],
    ['more members', '{"channel":"x","data":{"a":[]},"time":5}', '{"a":[]}'],
    ['two data members, of which the last one counts', '{"channel":"x","data":1,"data":[2]}', '[2]'],
    ['a name that is escaped', '{"channel":"\\u0078","data":{}}', '{}'],
  ])('may have %s', (_, text, payload) => {
    const piece = { start: text.lastIndexOf(payload), length: payload.length };
    expect(parseFrame(text)).toEqual({ channel: 'x', data: JSON.parse(payload), piece });
  });

  it.each(['{"channel":"pong"}', '{"data":{}}', '{"channel":5,"data":1}', '[]', 'null', '"text"', '7'])(
    'is null without a channel or without data: %s',
    (text) => {
      expect(parseFrame(text)).toBeNull();
    },
  );

  it.each([
    '',
    'PONG',
    '{"channel":"trades","data":[{"coin":"BT',
    '{"channel":"x","data":}',
    '{"channel":"x","data":{}}}',
  ])('is malformed if it is no JSON: %j', (text) => {
    expect(codeOf(() => parseFrame(text))).toBe('malformed_json');
  });
});

describe('a request', () => {
  it('is parsed from the stored request body', () => {
    expect(parseRequest('{"type":"meta","dex":"abc"}')).toEqual({ type: 'meta', dex: 'abc' });
  });

  it.each([null, '', 'GET /x', '[]', '{}', '{"type":7}'])('is malformed without a type: %j', (request) => {
    const refused = () => {
      try {
        return parseRequest(request);
      } catch (error) {
        return error as Error;
      }
    };
    expect(refused()).toBeInstanceOf(Error);
  });
});
