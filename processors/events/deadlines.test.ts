import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDeadline, type Deadline, dropOutdated, popDue } from './deadlines.ts';

it('returns every due deadline once, in order, and no other', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 50 }), (times, now) => {
      const heap: Deadline[] = [];
      for (const atMs of times) addDeadline(heap, { atMs, universalId: 'e' });
      const due: number[] = [];
      for (let next = popDue(heap, now); next !== null; next = popDue(heap, now)) due.push(next.atMs);
      expect(due).toEqual(times.filter((atMs) => atMs <= now).sort((a, b) => a - b));
      expect(heap).toHaveLength(times.length - due.length);
    }),
  );
});

it('drops outdated deadlines when they are many, and returns the others as before', () => {
  const heap: Deadline[] = [];
  for (let nth = 0; nth < 5_000; nth += 1)
    addDeadline(heap, { atMs: (nth * 7_919) % 5_000, universalId: nth < 4_000 ? 'evt_moved' : `evt_${nth}` });
  const isCurrent = ({ universalId }: Deadline) => universalId !== 'evt_moved';
  const current = heap.filter(isCurrent).sort((one, other) => one.atMs - other.atMs);
  dropOutdated(heap, 4_000, isCurrent);
  expect(heap).toHaveLength(5_000);
  dropOutdated(heap, 1_000, isCurrent);
  addDeadline(heap, { atMs: -1, universalId: 'evt_new' });
  const popped: (Deadline | null)[] = [];
  for (let due = popDue(heap, 5_000); due; due = popDue(heap, 5_000)) popped.push(due);
  expect(popped).toEqual([{ atMs: -1, universalId: 'evt_new' }, ...current]);
});
