import { expect, it } from 'vitest';
import { packRecords, unpackRecords } from './messages.ts';

it('puts the records of a partition together, in their order', () => {
  const record = (topic: string, seq: number) => ({
    topic,
    partition: 0,
    key: String(seq),
    value: Buffer.from([seq]),
    receivedAt: seq,
    seq,
  });
  const batch = [record('a', 1), record('b', 2), record('a', 3)];
  expect(unpackRecords(packRecords(batch))).toEqual([batch[0], batch[2], batch[1]]);
});

it('restores records, tombstones and empty values', () => {
  const at = { topic: 't', partition: 1, receivedAt: 5 };
  const records = [
    { ...at, key: 'a', value: Buffer.from('first'), seq: 1 },
    { ...at, key: 'b', value: null, seq: 2 },
    { ...at, key: 'c', value: Buffer.alloc(0), seq: 3 },
    { ...at, key: 'd', value: Buffer.from('a piece of more memory').subarray(2, 7), seq: 4 },
  ];
  expect(unpackRecords(structuredClone(packRecords(records)))).toEqual(records);
});
