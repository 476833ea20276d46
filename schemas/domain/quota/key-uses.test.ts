import { expect, it } from 'vitest';
import { KeyUses } from './key-uses.ts';

const MINUTE = Date.UTC(2026, 2, 1, 12);

it('publishes the first use of a key in each minute, to the minute', () => {
  const uses = new KeyUses();
  expect(uses.lastUsedAt('a')).toBeNull();
  uses.mark('a', MINUTE + 59_999);
  uses.mark('a', MINUTE + 1);
  expect(uses.drainUnpublished()).toEqual([{ keyId: 'a', usedAt: MINUTE }]);
  uses.mark('a', MINUTE + 30_000);
  expect(uses.drainUnpublished()).toEqual([]);
  uses.mark('a', MINUTE + 60_000);
  uses.mark('b', MINUTE + 60_000);
  const published = uses.drainUnpublished();
  expect(published.map(({ keyId }) => keyId)).toEqual(['a', 'b']);
  expect(uses.lastUsedAt('a')).toBe(MINUTE + 60_000);
  uses.markUnpublished(published);
  expect(uses.drainUnpublished()).toEqual(published);
});

it('counts the latest use on any node, whatever the order of the records', () => {
  const uses = new KeyUses();
  uses.apply({ keyId: 'a', usedAt: MINUTE });
  uses.apply({ keyId: 'a', usedAt: MINUTE - 60_000 });
  expect(uses.lastUsedAt('a')).toBe(MINUTE);
  uses.mark('a', MINUTE - 1);
  expect([uses.lastUsedAt('a'), uses.drainUnpublished()]).toEqual([MINUTE, []]);
});
