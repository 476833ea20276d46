import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDeadline, type Deadline, popDue } from './deadlines.ts';

it('gives every deadline once, in order, and none that is not due', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 50 }), (times, now) => {
      const heap: Deadline[] = [];
      for (const atMs of times) addDeadline(heap, { atMs, universalId: 'e' });
      const taken: number[] = [];
      for (let due = popDue(heap, now); due !== null; due = popDue(heap, now)) taken.push(due.atMs);
      expect(taken).toEqual(times.filter((atMs) => atMs <= now).sort((a, b) => a - b));
      expect(heap).toHaveLength(times.length - taken.length);
    }),
  );
});
