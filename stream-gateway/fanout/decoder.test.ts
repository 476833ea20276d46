import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type Codec, CodecError } from '#infra/codec/codec';
import { type EventLog, LogError, type LogRecord } from '#infra/log/log';
import { OpenProblems } from '#infra/telemetry/open-problems';
import { channelTopics } from '#schemas/topics/channels';
import { ChannelEpochs } from './channel-epochs.ts';
import { Decoder } from './decoder.ts';
import type { RawEntry, RawPayloads } from './raw-payloads.ts';

const MEBI = 1024 * 1024;

function recordOf(offset: number, length: number, topic = 'derived.channels.venue_a'): LogRecord {
  const value = Buffer.from(JSON.stringify({ length }));
  return { topic, partition: 0, key: `of ${offset % 2}`, value, receivedAt: 1, seq: 1, offset, appendedAt: 1 };
}

/** A decoder, its calls (each load with its offsets, each `clear`) and the records that it reports. */
function openDecoder(failures = 0) {
  const undecodable: string[] = [];
  const done: string[] = [];
  const problems: string[] = [];
  const health = {
    degraded: (_part: string, reason: string) => void problems.push(reason),
    recovered: () => void problems.push('recovered'),
  };
  const decodeRecord = (_topic: unknown, { value }: LogRecord) => {
    if (value!.length === 0) throw new CodecError('malformed', 'no value');
    return JSON.parse(value!.toString());
  };
  const codec = { decodeRecord, fetchSchema: async () => {} } as unknown as Codec;
  const decoder = new Decoder(
    {
      log: null as unknown as EventLog,
      codec,
      logger: pino({ enabled: false }),
      onUndecodable: ({ offset }, reason) => void undecodable.push(`${offset} ${reason}`),
      problems: new OpenProblems(health, 'gateway'),
    },
    new ChannelEpochs(),
  );
  let left = failures;
  const payloads = {
    load: async (entries: readonly RawEntry[]) => {
      left -= 1;
      if (left >= 0) throw new LogError('log_unavailable', 'unavailable');
      done.push(`load ${entries.map(([{ offset }]) => offset)}`);
    },
    clear: () => done.push('clear'),
  } as unknown as RawPayloads;
  const run = async (records: readonly LogRecord[], isWanted: (record: LogRecord) => boolean = () => true) => {
    for await (const part of decoder.withPayloads(records, isWanted, payloads))
      done.push(`part ${part.map(({ offset }) => offset)}`);
    return done;
  };
  return { run, problems, decoder, undecodable };
}

describe('a batch with its payloads', () => {
  it('is one part with one load of the wanted records', async () => {
    const records = [recordOf(0, 10), recordOf(1, 10), recordOf(2, 10, 'derived.channels.events'), recordOf(4, 10)];
    expect(await openDecoder().run(records)).toEqual(['load 0,1,4', 'part 0,1,2,4', 'clear']);
    expect(await openDecoder().run(records, ({ key }) => key === 'of 1')).toEqual(['load 1', 'part 0,1,2,4', 'clear']);
    expect(await openDecoder().run(records, () => false)).toEqual(['part 0,1,2,4', 'clear']);
    expect(await openDecoder().run([])).toEqual([]);
  });

  it('comes in parts if the payloads are too large to be held together', async () => {
    const records = [0, 1, 2, 3, 4].map((offset) => recordOf(offset, 3 * MEBI));
    expect(await openDecoder().run(records)).toEqual([
      ...['load 0,1', 'part 0,1', 'clear'],
      ...['load 2,3', 'part 2,3', 'clear'],
      ...['load 4', 'part 4', 'clear'],
    ]);
  });

  it('waits for a log that is unavailable', async () => {
    const { run, problems } = openDecoder(2);
    expect(await run([recordOf(0, 10)])).toEqual(['load 0', 'part 0', 'clear']);
    expect(problems).toEqual(['unavailable', 'unavailable', 'recovered']);
  });
});

describe('a record that cannot be decoded', () => {
  it('is reported once, however often clients have it read again, and again in a rebuilt topic', async () => {
    const { decoder, undecodable } = openDecoder();
    const malformed = { ...recordOf(3, 10), value: Buffer.alloc(0) };
    const read = (record: LogRecord) => decoder.decodeValue(channelTopics.events, record);
    for (let nth = 0; nth < 3; nth += 1) expect(await read(malformed)).toBeNull();
    await read({ ...malformed, partition: 1 });
    await read({ ...malformed, offset: 4 });
    await read({ ...malformed, appendedAt: 2 });
    expect(undecodable).toEqual(['3 malformed', '3 malformed', '4 malformed', '3 malformed']);
  });
});
