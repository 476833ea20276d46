import { describe, expect, it } from 'vitest';
import { type Codec, CodecError } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import type { RawChannelFrame } from '#schemas/topics/channels';
import { type RawEntry, RawPayloads } from './raw-payloads.ts';

const TOPICS = ['raw.venue_a.ws', 'raw.venue_b.clob_ws'];

/**
 * Ten records in each partition of two raw topics, whose text names their position; the schema has to be fetched first.
 */
function openPayloads() {
  const decoded: string[] = [];
  let [open, isKnown] = [0, false];
  const codec = {
    fetchSchema: async () => {
      isKnown = true;
    },
    decode: (_topic: unknown, value: Buffer) => {
      if (!isKnown) throw new CodecError('unknown_schema', 'not yet');
      decoded.push(value.toString());
      return { payload: value };
    },
  } as unknown as Codec;
  const log = {
    bounds: async () => ({ first: 0, next: 10 }),
    reader: async ([from]: { topic: string; partition: number; offset: number }[]) => {
      const { topic, partition, offset } = from!;
      open += 1;
      const records = Array.from({ length: 10 - offset }, (_, nth) => ({
        offset: offset + nth,
        value: Buffer.from(`"ü" ${topic} ${partition} ${offset + nth}`),
      }));
      const close = async () => {
        open -= 1;
      };
      return { poll: async () => ({ records: records.splice(0), watermarks: [] }), close };
    },
  } as unknown as EventLog;
  return {
    payloads: new RawPayloads({ log, codec, signal: new AbortController().signal }),
    decoded,
    readers: () => open,
  };
}

function entry(topic: string, partition: number, offset: number, start = 0, length = 3): RawEntry {
  const frame = { topic, partition, offset, start, length } as RawChannelFrame;
  return [{ offset, key: `${topic} ${partition}` } as LogRecord, frame];
}
const payloadOf = (payloads: RawPayloads, [record]: RawEntry) => payloads.get(record)?.payload;

describe('loading payloads', () => {
  it('returns each frame its part, in whatever order they come', async () => {
    const { payloads } = openPayloads();
    const entries = [5, 2, 9].flatMap((offset) => TOPICS.map((topic) => entry(topic, 1, offset, 4, topic.length + 4)));
    await payloads.load(entries);
    for (const each of entries) {
      const { topic, partition, offset } = each[1];
      expect(payloadOf(payloads, each)).toEqual({ text: `${topic} ${partition} ${offset}` });
    }
  });

  it('decodes a raw record once for all frames of a load', async () => {
    const { payloads, decoded } = openPayloads();
    await payloads.load(Array.from({ length: 50 }, (_, nth) => entry(TOPICS[0]!, nth % 2, 3, nth % 3)));
    expect(decoded).toHaveLength(2);
  });

  it('returns nothing that was not loaded, or that was cleared', async () => {
    const { payloads } = openPayloads();
    const [one, other] = [entry(TOPICS[0]!, 0, 1), entry(TOPICS[0]!, 0, 2)];
    await payloads.load([one]);
    expect([payloadOf(payloads, one), payloadOf(payloads, other)]).toEqual([{ text: '"ü"' }, undefined]);
    payloads.clear();
    expect(payloadOf(payloads, one)).toBeUndefined();
  });

  it.each([
    ['missing', entry('raw.venue_a.other', 0, 1)],
    ['missing', entry(TOPICS[0]!, 4, 1)],
    ['missing', entry(TOPICS[0]!, -1, 1)],
    ['malformed', entry(TOPICS[0]!, 0, 1, -1)],
    ['malformed', entry(TOPICS[0]!, 0, 1, 0, 1_000)],
    ['malformed', entry(TOPICS[0]!, 0, 1, 0, 0)],
  ])('reports a payload that is %s', async (absence, bad) => {
    const { payloads } = openPayloads();
    await payloads.load([bad]);
    expect(payloadOf(payloads, bad)).toEqual({ absence });
  });
});

describe('readers', () => {
  it('are one for each partition, closed after they were not used for a while', async () => {
    const { payloads, readers } = openPayloads();
    for (let offset = 0; offset < 10; offset += 1)
      await payloads.load([0, 1].flatMap((partition) => TOPICS.map((topic) => entry(topic, partition, offset))));
    expect(readers()).toBe(4);
    const now = performance.now();
    await payloads.closeUnused(now + 9_000);
    expect(readers()).toBe(4);
    await payloads.closeUnused(now + 11_000);
    expect(readers()).toBe(0);
    const again = entry(TOPICS[0]!, 0, 7);
    payloads.clear();
    await payloads.load([again]);
    expect([readers(), payloadOf(payloads, again)]).toEqual([1, { text: '"ü"' }]);
    await payloads.close();
    expect(readers()).toBe(0);
  });
});
