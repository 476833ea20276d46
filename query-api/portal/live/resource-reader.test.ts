import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';

vi.hoisted(() => {
  Object.assign(globalThis, { document: { hidden: false, addEventListener: () => {} } });
});

import { isHidden, pausedAt } from './activity.ts';
import { staleAt, staleReason } from './resource.ts';
import { faultyResources, type Reading, ResourceReader } from './resource-reader.ts';

const EVERY_MS = 1_000;
const READING: Reading = { path: '/v1/a', every: EVERY_MS, staysUntilNext: false, body: undefined };

/** The requested paths, and what answers them: a status, or a promise of one. */
let requested: string[];
let answer: () => number | Promise<number>;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  requested = [];
  answer = () => 200;
  vi.stubGlobal('fetch', async (path: string) => {
    requested.push(path);
    const status = await answer();
    return new Response(status === 200 ? JSON.stringify({ path, read: requested.length }) : '{}', { status });
  });
});
afterEach(() => {
  stop();
  pausedAt.value = null;
  isHidden.value = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

// Other files share this process.
afterAll(() => void Reflect.deleteProperty(globalThis, 'document'));

async function startReading(reading: Partial<Reading> = {}) {
  const reader = new ResourceReader<{ readonly path: string; readonly read: number }>({ ...READING, ...reading });
  stop = reader.start();
  await settle();
  return reader;
}
const settle = () => vi.advanceTimersByTimeAsync(1);
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('reads again after each interval', async () => {
  const reader = await startReading();
  await wait(EVERY_MS * 2);
  expect(requested).toHaveLength(3);
  expect(reader.data.value).toEqual({ path: '/v1/a', read: 3 });
});

it('reads no more once the interval has ended, also when the tab is seen again, until it is asked to', async () => {
  const reader = await startReading();
  reader.want({ ...READING, every: null });
  await wait(EVERY_MS * 5);
  isHidden.value = true;
  isHidden.value = false;
  await settle();
  expect(requested).toHaveLength(1);
  reader.refresh();
  await settle();
  expect(requested).toHaveLength(2);
  reader.want(READING);
  reader.refresh();
  await wait(EVERY_MS + 1);
  expect(requested).toHaveLength(4);
});

it('reads another path at once, and shows nothing until its answer', async () => {
  const reader = await startReading();
  reader.want({ ...READING, path: '/v1/b' });
  expect(reader.data.value).toBeNull();
  await settle();
  expect(reader.data.value?.path).toBe('/v1/b');
});

it('marks what it still shows of another path, until the answer', async () => {
  const reader = await startReading({ staysUntilNext: true });
  const at = reader.at.value;
  expect(staleReason(reader)).toBeNull();
  reader.want({ ...READING, path: '/v1/b', staysUntilNext: true });
  expect([reader.data.value?.path, staleReason(reader), staleAt(reader)]).toEqual(['/v1/a', 'other', at]);
  await settle();
  expect([reader.data.value?.path, staleReason(reader)]).toEqual(['/v1/b', null]);
});

it('keeps the fault of figures that it shows until the next answer', async () => {
  const reader = await startReading();
  answer = () => 500;
  await wait(EVERY_MS);
  expect([staleReason(reader), faultyResources.value.size]).toEqual(['failed', 1]);
  let end = (_status: number): void => {};
  answer = () => new Promise((resolve) => (end = resolve));
  reader.refresh();
  await settle();
  expect([staleReason(reader), faultyResources.value.size]).toEqual(['failed', 1]);
  end(200);
  await settle();
  expect([staleReason(reader), faultyResources.value.size]).toEqual([null, 0]);
});

it('shows no fault of another path, nor one of a first read that is tried again', async () => {
  answer = () => 500;
  const reader = await startReading();
  expect(reader.fault.value?.status).toBe(500);
  answer = () => new Promise(() => {});
  reader.refresh();
  expect(reader.fault.value).toBeNull();
  answer = () => 500;
  reader.want({ ...READING, path: '/v1/b' });
  await settle();
  expect(reader.fault.value?.status).toBe(500);
  answer = () => new Promise(() => {});
  reader.want({ ...READING, path: '/v1/c' });
  expect(reader.fault.value).toBeNull();
});

it('reads nothing while it is paused, and marks what is polled', async () => {
  const reader = await startReading();
  pausedAt.value = 1;
  await wait(EVERY_MS * 3);
  expect([requested.length, staleReason(reader)]).toEqual([1, 'paused']);
  pausedAt.value = null;
  await settle();
  expect([requested.length, staleReason(reader)]).toEqual([2, null]);
  reader.want({ ...READING, every: null });
  pausedAt.value = 2;
  expect(staleReason(reader)).toBeNull();
});

it('reports no fault any more once it has ended', async () => {
  answer = () => 500;
  await startReading();
  expect(faultyResources.value.size).toBe(1);
  stop();
  expect(faultyResources.value.size).toBe(0);
});
