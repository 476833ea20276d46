import { describe, expect, it } from 'vitest';
import { clockTopic } from '#schemas/topics/control';
import { MemoryLog } from '../testing/memory-log.fixture.ts';
import { PartitionNumbers } from './numbering.ts';

const AT = { topic: clockTopic.name, partition: 0 };

describe('the numbers of a partition', () => {
  it('go on after the newest record', async () => {
    const log = new MemoryLog();
    await log.append([1, 2, 3].map((seq) => ({ ...AT, key: 'clock', value: null, receivedAt: seq, seq })));
    const numbers = await PartitionNumbers.open(log, [clockTopic], 'continue');
    expect(numbers.next(numbers.of(AT.topic, 0), 'clock', 4)).toBe(4);
  });

  it('begin at 1 where nothing was ever written', async () => {
    const numbers = await PartitionNumbers.open(new MemoryLog(), [clockTopic], 'continue');
    expect(numbers.next(numbers.of(AT.topic, 0), 'clock', 4)).toBe(1);
  });

  it('do not start over when retention has removed every record', async () => {
    const log = new MemoryLog();
    // As a broker tells it, which removes the last record too.
    log.bounds = async () => ({ first: 7, next: 7 });
    const numbers = await PartitionNumbers.open(log, [clockTopic], 'continue');
    expect(numbers.next(numbers.of(AT.topic, 0), 'clock', 4)).toBe(8);
  });
});
