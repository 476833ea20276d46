import { expect, it } from 'vitest';
import { DexList } from './dex-list.ts';

const LISTED = Buffer.from('[null,{"name":"xyz"}]');

it('has the dexes of the newest list for five minutes', () => {
  let now = 0;
  const dexes = new DexList(() => now);
  expect([dexes.isRecent(), dexes.names()]).toEqual([false, []]);
  dexes.set(LISTED);
  now = 300_000;
  expect([dexes.isRecent(), dexes.names()]).toEqual([true, ['xyz']]);
  now += 1;
  expect(dexes.isRecent()).toBe(false);
});

it.each(['{}', '[{"name":5}]', '[null'])(
  'refuses the list %s, which changes nothing as an answer of a poll',
  (text) => {
    const dexes = new DexList();
    dexes.receive(LISTED);
    dexes.receive(Buffer.from(text));
    expect(dexes.names()).toEqual(['xyz']);
    expect(() => dexes.set(Buffer.from(text))).toThrow();
  },
);
