import { afterEach, beforeEach, expect, it } from 'vitest';
import { pause } from '#infra/runtime/pause';
import { type FillLoad, fillLoadTopic } from '#schemas/topics/account-fills';
import { UpstreamError } from '../../../feed/errors.ts';
import { until } from '../../../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../../../testing/role-context.fixture.ts';
import { REST_PRIORITIES } from '../declaration.ts';
import { type RequestCost, startFillRequests } from './request-fills.ts';

const closing: (() => Promise<unknown>)[] = [];
let role: TestRole;
let sent: { readonly request: string; readonly cost: RequestCost }[];
let failures: Error[];
/** What each request waits for. */
let hold: (signal: AbortSignal) => Promise<void>;
beforeEach(async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  role = await openTestRole(folder, {});
  closing.push(() => role.close());
  await role.context.log.createTopics([fillLoadTopic]);
  await role.context.codec.prepare([fillLoadTopic]);
  [sent, failures] = [[], []];
  hold = async () => {};
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let seq = 0;
async function append(user: string, fields: Partial<FillLoad> | null): Promise<void> {
  const { log, codec } = role.context;
  const account = `venue_a:${user}`;
  const load = {
    ...{ account, user, ledger: 1, receivedAt: 1, knownAt: 1, loadedAt: null, ordersFrom: 0, twapsFrom: 0 },
    ...{ ordersCompleteAt: null, twapsCompleteAt: null, tradedAt: null, missingFrom: null, skippedAt: null },
  };
  const value = fields && codec.encode(fillLoadTopic, { ...load, ...fields });
  seq += 1;
  await log.append([{ topic: fillLoadTopic.name, partition: 0, key: account, value, receivedAt: 1, seq }]);
}

/** Starts the requests on a clock that advances by a second at each look. */
async function start() {
  let looks = 0;
  const requests = await startFillRequests({
    context: role.context,
    send: async (request, signal, cost) => {
      sent.push({ request, cost });
      const failure = failures.shift();
      if (failure) throw failure;
      await hold(signal);
    },
    now: () => looks * 1_000,
    wait: (_ms, signal) => {
      looks += 1;
      return pause(1, signal);
    },
  });
  closing.push(() => requests.close());
}

it('requests continue where the log states, cost what the response has, and end with the account', async () => {
  await append('a', { ordersFrom: 7, twapsCompleteAt: 5 });
  await start();
  await until(() => sent.length >= 1);
  const [{ request, cost }] = sent as [(typeof sent)[number]];
  expect(JSON.parse(request)).toEqual({ type: 'userFillsByTime', user: 'a', startTime: 7 });
  expect([cost.priority, cost.weight]).toEqual([REST_PRIORITIES.fillLoads, 120]);
  expect(cost.weightOf(Buffer.from(JSON.stringify(Array(41).fill(0))))).toBe(23);
  expect(() => cost.weightOf(Buffer.from('<html>'))).toThrow('not JSON');
  await append('a', null);
  await append('b', {});
  await until(() => sent.at(-1)!.request.includes('"b"'));
  expect(JSON.parse(sent.at(-1)!.request)).toMatchObject({ user: 'b', startTime: 0 });
});

it('a request that failed is repeated', async () => {
  failures = [new UpstreamError('upstream_unavailable', 'away')];
  await append('a', { twapsCompleteAt: 5 });
  await start();
  await until(() => sent.length >= 2);
  expect(sent[1]!.request).toBe(sent[0]!.request);
});

it('requests of traded accounts do not wait for those of loads', async () => {
  const untraded = Array.from({ length: 6 }, (_, nth) => `load${nth}`);
  for (const user of untraded) await append(user, {});
  let waiting = 0;
  hold = async (signal) => {
    waiting += 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  await start();
  await until(() => waiting === 3);
  await append('t', { ordersCompleteAt: 5, twapsCompleteAt: 5, missingFrom: 9, loadedAt: 5 });
  await until(() => sent.some(({ cost }) => cost.priority === REST_PRIORITIES.tradedFills));
  const { fillLoads, tradedFills } = REST_PRIORITIES;
  expect(sent.map(({ cost }) => cost.priority)).toEqual([fillLoads, fillLoads, fillLoads, tradedFills]);
});

it('a request that waits for room is sent as one of a traded account once that has traded', async () => {
  const idle = { ordersCompleteAt: 5, twapsCompleteAt: 5, loadedAt: 5 };
  await append('a', idle);
  hold = (signal) => {
    if (sent.length > 1) return Promise.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  await start();
  await until(() => sent.length === 1);
  expect(sent[0]!.cost.priority).toBe(REST_PRIORITIES.others);
  await append('a', { ...idle, missingFrom: 9 });
  await until(() => sent.length >= 2);
  expect(sent[1]!.cost.priority).toBe(REST_PRIORITIES.tradedFills);
});
