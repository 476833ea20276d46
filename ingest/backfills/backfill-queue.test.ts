import { expect, it } from 'vitest';
import type { Backfill } from '#schemas/topics/backfills';
import { BackfillQueue } from './backfill-queue.ts';

let created = 0;
const request = (orgId: string, address: string, fields: Partial<Backfill> = {}): Backfill => {
  created += 1;
  return { id: `r${created}`, receivedAt: 1_000, orgId, address, lookbackDays: 7, ...fields };
};
const open = (limits = {}) => new BackfillQueue({ perOrganization: 3, total: 5, running: 2, ...limits });

it('scans a wallet once for all equal requests, whether waiting or running', () => {
  const queue = open();
  const requests = [
    request('a', '0x1'),
    request('b', '0x1'),
    request('b', '0x1', { lookbackDays: 30 }),
    request('a', '0x1'),
  ];
  expect(queue.add(requests[0]!) && queue.add(requests[1]!) && queue.add(requests[2]!)).toBe(true);
  const first = queue.next()!;
  expect(queue.add(requests[3]!)).toBe(true);
  expect(first.requests.map(({ id }) => id)).toEqual([requests[0]!.id, requests[1]!.id, requests[3]!.id]);
  expect(queue.next()!.lookbackDays).toBe(30);
  queue.end(first);
  expect(queue.next()).toBeNull();
});

it('limits running scans, and prefers an organization with fewer of them', () => {
  const queue = open();
  for (const address of ['0x1', '0x2', '0x3']) queue.add(request('a', address));
  const [one, two] = [queue.next()!, queue.next()!];
  queue.add(request('b', '0x4'));
  expect([one.address, two.address, queue.next()]).toEqual(['0x1', '0x2', null]);
  queue.end(one);
  expect(queue.next()!.address).toBe('0x4');
  queue.end(two);
  expect(queue.next()!.address).toBe('0x3');
});

it('gives each organization its turn, however many requests others have waiting', () => {
  const queue = open({ total: 20, running: 2 });
  for (const orgId of ['a', 'b']) for (const nth of [1, 2, 3]) queue.add(request(orgId, `0x${orgId}${nth}`));
  const running = [queue.next()!, queue.next()!];
  queue.add(request('c', '0xc1'));
  const order = running.map(({ orgId }) => orgId);
  for (let scan = running.shift(); scan; scan = running.shift()) {
    queue.end(scan);
    const next = queue.next();
    if (next) running.push(next);
    if (next) order.push(next.orgId);
    // A new request after its turn comes after the waiting ones.
    if (next?.orgId === 'c' && order.length < 6) queue.add(request('c', '0xc2'));
  }
  expect(order.join('')).toBe('abcabcab');
});

it('records the turns of no more organizations than can wait', () => {
  const queue = open({ total: 2, running: 1 });
  const serve = (...orgIds: string[]) => {
    for (const orgId of orgIds) queue.add(request(orgId, `0x${orgId}`));
    return orgIds.map(() => {
      const scan = queue.next()!;
      queue.end(scan);
      return scan.orgId;
    });
  };
  serve('a');
  serve('b');
  expect(serve('b', 'a')).toEqual(['a', 'b']);
  serve('c');
  // The turn of a was dropped, so it counts as never served.
  expect(serve('b', 'a')).toEqual(['a', 'b']);
  expect((queue as unknown as { served: Map<string, number> }).served.size).toBe(2);
});

it('limits the requests of one organization and of all', () => {
  const queue = open();
  expect(['0x1', '0x2', '0x3', '0x4'].map((address) => queue.add(request('a', address)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(['0x1', '0x5', '0x6'].map((address) => queue.add(request('b', address)))).toEqual([true, true, false]);
  queue.end(queue.next()!);
  expect(queue.add(request('c', '0x6'))).toBe(true);
});

it('drops requests that have waited too long, but not those that joined later', () => {
  const queue = open();
  const [old, younger] = [request('a', '0x1'), request('b', '0x1', { receivedAt: 2_000 })];
  queue.add(old);
  queue.add(younger);
  queue.add(request('c', '0x2'));
  expect(queue.dropOlderThan(1_500).map(({ orgId }) => orgId)).toEqual(['a', 'c']);
  expect(queue.next()!.requests).toEqual([younger]);
  expect(queue.next()).toBeNull();
});
