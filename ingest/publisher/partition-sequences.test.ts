import { describe, expect, it } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import { MemoryLog } from '../testing/memory-log.fixture.ts';
import { PartitionSequences } from './partition-sequences.ts';

const AT = { topic: clockTopic.name, partition: 0 };

describe('the sequence numbers of a partition', () => {
  it('continue after the newest record', async () => {
    const log = new MemoryLog();
    await log.append([1, 2, 3].map((seq) => ({ ...AT, key: 'clock', value: null, receivedAt: seq, seq })));
    const sequences = await PartitionSequences.open(log, [clockTopic], 'continue');
    expect(sequences.next(sequences.of(AT.topic, 0), 'clock', 4)).toBe(4);
  });

  it('start at 1 if nothing was ever written', async () => {
    const sequences = await PartitionSequences.open(new MemoryLog(), [clockTopic], 'continue');
    expect(sequences.next(sequences.of(AT.topic, 0), 'clock', 4)).toBe(1);
  });

  it('do not start over when retention has removed every record', async () => {
    const log = new MemoryLog();
    // A broker reports these bounds after it has removed the last record too.
    log.bounds = async () => ({ first: 7, next: 7 });
    const sequences = await PartitionSequences.open(log, [clockTopic], 'continue');
    expect(sequences.next(sequences.of(AT.topic, 0), 'clock', 4)).toBe(8);
  });
});
