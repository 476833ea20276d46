import { expect, it } from 'vitest';
import type { AppendRecord } from './log.ts';
import { OrderedAppender } from './ordered-appender.ts';

const aRecord = (key: string) => (receivedAt: number) => ({
  topic: 't',
  partition: 0,
  key,
  value: null,
  receivedAt,
  seq: 0,
});

it('appends what arrives meanwhile as one batch, with times that never decrease', async () => {
  const batches: (readonly AppendRecord[])[] = [];
  const appender = new OrderedAppender(async (records) => void batches.push(records));
  await Promise.all(['a', 'b', 'c'].map((key) => appender.append(aRecord(key))));
  await appender.append(aRecord('d'));
  expect(batches.map((batch) => batch.map(({ key }) => key))).toEqual([['a'], ['b', 'c'], ['d']]);
  const times = batches.flat().map(({ receivedAt }) => receivedAt);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

it('reports an error to the callers of the batch and continues', async () => {
  let fails = true;
  const appender = new OrderedAppender(async () => {
    if (fails) throw new Error('full');
  });
  await expect(appender.append(aRecord('a'))).rejects.toThrow('full');
  fails = false;
  await appender.append(aRecord('b'));
  await appender.drained();
});
