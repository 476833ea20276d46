import { expect, it } from 'vitest';
import type { Reader } from './query.ts';
import { readJointCandles } from './read-joint-candles.ts';

/** A store that answers when the test lets it. */
function openStore() {
  const answers: ((error?: Error) => void)[] = [];
  const store: Reader = {
    query: <T>() =>
      new Promise<T[]>((resolve, reject) => {
        answers.push((error) => (error ? reject(error) : resolve([{ packed: '', counted: 0 }] as T[])));
      }),
  };
  const span = { source: 'trades', intervalMs: 60_000, from: 0, until: 120_000 };
  return { answers, read: () => readJointCandles(store, [], [], span, 60_000, 'a') };
}

/** Lets promises that wait for nothing else go on. */
async function settle() {
  for (let times = 0; times < 20; times += 1) await Promise.resolve();
}

it('runs one read of a store at a time, in order, also after one that failed', async () => {
  const { answers, read } = openStore();
  const reads = [read(), read(), read()];
  await settle();
  expect(answers).toHaveLength(1);
  const other = openStore();
  const elsewhere = other.read();
  await settle();
  other.answers[0]!();
  expect((await elsewhere).length).toBe(0);
  answers[0]!(new Error('the store is away'));
  await expect(reads[0]).rejects.toThrow('the store is away');
  await settle();
  expect(answers).toHaveLength(2);
  answers[1]!();
  expect((await reads[1]!).length).toBe(0);
  await settle();
  answers[2]!();
  expect((await reads[2]!).length).toBe(0);
});
