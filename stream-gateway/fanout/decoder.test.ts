import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import { type EventLog, LogError, type LogRecord } from '#infra/log/log';
import { ChannelEpochs } from './channel-epochs.ts';
import { Decoder } from './decoder.ts';
import type { RawEntry, RawPayloads } from './raw-payloads.ts';

const MEBI = 1024 * 1024;

function recordOf(offset: number, length: number, topic = 'derived.channels.venue_a'): LogRecord {
  const value = Buffer.from(JSON.stringify({ length }));
  return { topic, partition: 0, key: `of ${offset % 2}`, value, receivedAt: 1, seq: 1, offset, appendedAt: 1 };
}

/** A decoder, and what it has done: each load with its offsets, each `forget`. */
function openDecoder(failures = 0) {
  const done: string[] = [];
  const troubles: (string | null)[] = [];
  const decodeRecord = (_topic: unknown, { value }: LogRecord) => JSON.parse(value!.toString());
  const codec = { decodeRecord } as unknown as Codec;
  const decoder = new Decoder(
    {
      log: null as unknown as EventLog,
      codec,
      logger: pino({ enabled: false }),
      onUnreadable: () => {},
      onTrouble: (reason) => void troubles.push(reason),
    },
    new ChannelEpochs(),
  );
  let left = failures;
  const payloads = {
    load: async (entries: readonly RawEntry[]) => {
      left -= 1;
      if (left >= 0) throw new LogError('log_unavailable', 'away');
      done.push(`load ${entries.map(([{ offset }]) => offset)}`);
    },
    forget: () => done.push('forget'),
  } as unknown as RawPayloads;
  const run = async (records: readonly LogRecord[], isWanted: (record: LogRecord) => boolean = () => true) => {
    for await (const part of decoder.withPayloads(records, isWanted, payloads))
      done.push(`part ${part.map(({ offset }) => offset)}`);
    return done;
  };
  return { run, troubles };
}

describe('a batch with its payloads', () => {
  it('is one part with one load of what is wanted', async () => {
    const records = [recordOf(0, 10), recordOf(1, 10), recordOf(2, 10, 'derived.channels.events'), recordOf(4, 10)];
    expect(await openDecoder().run(records)).toEqual(['load 0,1,4', 'part 0,1,2,4', 'forget']);
    expect(await openDecoder().run(records, ({ key }) => key === 'of 1')).toEqual(['load 1', 'part 0,1,2,4', 'forget']);
    expect(await openDecoder().run(records, () => false)).toEqual(['part 0,1,2,4', 'forget']);
    expect(await openDecoder().run([])).toEqual([]);
  });

  it('comes in parts where the payloads are too large to be held together', async () => {
    const records = [0, 1, 2, 3, 4].map((offset) => recordOf(offset, 3 * MEBI));
    expect(await openDecoder().run(records)).toEqual([
      ...['load 0,1', 'part 0,1', 'forget'],
      ...['load 2,3', 'part 2,3', 'forget'],
      ...['load 4', 'part 4', 'forget'],
    ]);
  });

  it('waits for a log that is away', async () => {
    const { run, troubles } = openDecoder(2);
    expect(await run([recordOf(0, 10)])).toEqual(['load 0', 'part 0', 'forget']);
    expect(troubles).toEqual(['away', 'away', null]);
  });
});
