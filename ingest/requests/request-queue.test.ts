import { expect, it } from 'vitest';
import { type QueuedRequest, RequestQueue, type Task } from './request-queue.ts';

interface Params {
  readonly address: string;
  readonly days: number;
}
interface TestRequest {
  readonly params: Params;
  readonly request: QueuedRequest;
}

let created = 0;
function request(orgId: string, address: string, { receivedAt = 1_000, days = 7 } = {}): TestRequest {
  created += 1;
  return { params: { address, days }, request: { id: `r${created}`, receivedAt, orgId } };
}
const open = (limits = {}) => new RequestQueue<Params>({ perOrganization: 3, total: 5, running: 2, ...limits });
const add = (queue: RequestQueue<Params>, { params, request: queued }: TestRequest) =>
  queue.add(JSON.stringify(params), params, queued);
const firstOrg = ({ orgIds }: Task<Params>) => [...orgIds][0]!;

it('serves equal requests by one task, whether waiting or running', () => {
  const queue = open();
  const requests = [request('a', '0x1'), request('b', '0x1'), request('b', '0x1', { days: 30 }), request('a', '0x1')];
  expect(add(queue, requests[0]!) && add(queue, requests[1]!) && add(queue, requests[2]!)).toBe(true);
  const first = queue.next()!;
  expect(add(queue, requests[3]!)).toBe(true);
  expect(first.requests.map(({ id }) => id)).toEqual([
    requests[0]!.request.id,
    requests[1]!.request.id,
    requests[3]!.request.id,
  ]);
  expect(queue.next()!.params.days).toBe(30);
  queue.end(first);
  expect(queue.next()).toBeNull();
});

it('limits running tasks, and prefers an organization with fewer of them', () => {
  const queue = open();
  for (const address of ['0x1', '0x2', '0x3']) add(queue, request('a', address));
  const [one, two] = [queue.next()!, queue.next()!];
  add(queue, request('b', '0x4'));
  expect([one.params.address, two.params.address, queue.next()]).toEqual(['0x1', '0x2', null]);
  queue.end(one);
  expect(queue.next()!.params.address).toBe('0x4');
  queue.end(two);
  expect(queue.next()!.params.address).toBe('0x3');
});

it('gives each organization its turn, however many requests others have waiting', () => {
  const queue = open({ total: 20, running: 2 });
  for (const orgId of ['a', 'b']) for (const nth of [1, 2, 3]) add(queue, request(orgId, `0x${orgId}${nth}`));
  const running = [queue.next()!, queue.next()!];
  add(queue, request('c', '0xc1'));
  const order = running.map(firstOrg);
  for (let task = running.shift(); task; task = running.shift()) {
    queue.end(task);
    const next = queue.next();
    if (next) running.push(next);
    if (next) order.push(firstOrg(next));
    // A new request after its turn comes after the waiting ones.
    if (next && firstOrg(next) === 'c' && order.length < 6) add(queue, request('c', '0xc2'));
  }
  expect(order.join('')).toBe('abcabcab');
});

it('records the turns of no more organizations than can wait', () => {
  const queue = open({ total: 2, running: 1 });
  const serve = (...orgIds: string[]) => {
    for (const orgId of orgIds) add(queue, request(orgId, `0x${orgId}`));
    return orgIds.map(() => {
      const task = queue.next()!;
      queue.end(task);
      return firstOrg(task);
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
  expect(['0x1', '0x2', '0x3', '0x4'].map((address) => add(queue, request('a', address)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(['0x1', '0x5', '0x6'].map((address) => add(queue, request('b', address)))).toEqual([true, true, false]);
  queue.end(queue.next()!);
  expect(add(queue, request('c', '0x6'))).toBe(true);
});

it('drops requests that have waited too long, but not those that joined later', () => {
  const queue = open();
  const [old, younger] = [request('a', '0x1'), request('b', '0x1', { receivedAt: 2_000 })];
  add(queue, old);
  add(queue, younger);
  add(queue, request('c', '0x2'));
  expect(queue.dropOlderThan(1_500).map((dropped) => `${dropped.request.orgId} ${dropped.params.address}`)).toEqual([
    'a 0x1',
    'c 0x2',
  ]);
  const task = queue.next()!;
  expect([task.requests, [...task.orgIds]]).toEqual([[younger.request], ['b']]);
  expect(queue.next()).toBeNull();
});

it('counts the requests of ended and of dropped tasks no longer', () => {
  const queue = open({ perOrganization: 2 });
  add(queue, request('a', '0x1'));
  add(queue, request('a', '0x2'));
  expect(add(queue, request('a', '0x3'))).toBe(false);
  queue.end(queue.next()!);
  expect(add(queue, request('a', '0x3'))).toBe(true);
  expect(queue.dropOlderThan(2_000)).toHaveLength(2);
  expect(['0x4', '0x5', '0x6'].map((address) => add(queue, request('a', address)))).toEqual([true, true, false]);
});

it('leaves running tasks for organizations without one', () => {
  const queue = open({ perOrganization: 10, total: 20, running: 4 });
  for (let nth = 0; nth < 6; nth += 1) add(queue, request('rushing', `0xa${nth}`));
  const running = [queue.next(), queue.next(), queue.next(), queue.next()];
  expect(running.map((task) => task && firstOrg(task))).toEqual(['rushing', 'rushing', 'rushing', null]);
  for (const address of ['0xb', '0xc']) add(queue, request('single', address));
  expect([firstOrg(queue.next()!), queue.next()]).toEqual(['single', null]);
  queue.end(running[0]!);
  expect(queue.next()).toBeNull();
});

it('serves a task when the turn of any organization in it has come, and uses a turn of each', () => {
  const queue = open({ perOrganization: 10, total: 20, running: 1 });
  const addressOfNext = () => {
    const task = queue.next()!;
    queue.end(task);
    return task.params.address;
  };
  add(queue, request('busy', '0x1'));
  expect(addressOfNext()).toBe('0x1');
  add(queue, request('busy', '0x2'));
  add(queue, request('busy', '0x3'));
  add(queue, request('single', '0x4'));
  // The oldest task of those whose turn has come: 0x3 is one of a new organization too.
  add(queue, request('new', '0x3'));
  expect(addressOfNext()).toBe('0x3');
  // The new organization used its turn, and so did the busy one, so both come after the single one.
  add(queue, request('new', '0x5'));
  expect([addressOfNext(), addressOfNext(), addressOfNext()]).toEqual(['0x4', '0x2', '0x5']);
});

it('lets a joined task run among those that are for organizations without one, and counts it for each', () => {
  const queue = open({ perOrganization: 10, total: 20, running: 4 });
  for (let nth = 0; nth < 6; nth += 1) add(queue, request('rushing', `0xa${nth}`));
  const running = [queue.next()!, queue.next()!, queue.next()!];
  expect(queue.next()).toBeNull();
  add(queue, request('single', '0xa4'));
  const joined = queue.next()!;
  expect([joined.params.address, [...joined.orgIds]]).toEqual(['0xa4', ['rushing', 'single']]);
  // It runs for both, so neither may use the last of the running tasks once that is free.
  add(queue, request('single', '0xb'));
  queue.end(running[0]!);
  expect(queue.next()).toBeNull();
  queue.end(joined);
  expect(queue.next()!.params.address).toBe('0xb');
});

it('takes no turn of an organization that joins a task that runs', () => {
  const queue = open({ perOrganization: 10, total: 20, running: 1 });
  add(queue, request('a', '0x1'));
  const first = queue.next()!;
  add(queue, request('b', '0x1'));
  expect([...first.orgIds]).toEqual(['a', 'b']);
  queue.end(first);
  add(queue, request('a', '0x2'));
  add(queue, request('b', '0x3'));
  expect(queue.next()!.params.address).toBe('0x3');
});
