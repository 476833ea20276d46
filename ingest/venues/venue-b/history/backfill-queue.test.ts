import { expect, it, vi } from 'vitest';
import type { Backfill } from '#schemas/topics/backfills';
import { BackfillQueue, type BackfillQueueOptions } from './backfill-queue.ts';

type Scan = BackfillQueueOptions['scan'];

/** Notes in memory, with every state that was noted. */
function memoryNotes() {
  const notes = new Map<string, Backfill>();
  const states: string[] = [];
  return {
    states,
    get: (id: string) => notes.get(id) ?? null,
    unfinished: () => [...notes.values()].filter(({ endedAt }) => endedAt === null),
    async put(note: Omit<Backfill, 'receivedAt'>) {
      const written = { ...note, receivedAt: 0 };
      notes.set(note.id, written);
      states.push(`${note.id} ${note.status} ${note.fromBlock}`);
      return written;
    },
  };
}

/** Scans that wait until they are ended by their id. */
function heldScans() {
  const ends = new Map<string, (error?: Error) => void>();
  const scan: Scan = (note, _progress, signal) =>
    new Promise((resolve, reject) => {
      ends.set(note.id, (error) => (error ? reject(error) : resolve()));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { ends, scan };
}

const requestOf = (id: string, orgId = 'org_a') => ({
  id,
  orgId,
  walletId: 'wal',
  address: '0xa',
  lookbackDays: 7,
  startedAt: 1,
});
const logger = { warn: vi.fn(), error: vi.fn() };
const open = (scan: Scan, notes = memoryNotes()) => ({
  notes,
  queue: new BackfillQueue({ notes, logger, scan, reasonOf: (error) => (error as Error).message }),
});

it('runs two at once, of different organizations first, and notes their states', async () => {
  const { ends, scan } = heldScans();
  const { queue, notes } = open(scan);
  for (const [id, orgId] of [
    ['1', 'org_a'],
    ['2', 'org_a'],
    ['3', 'org_a'],
    ['4', 'org_b'],
  ] as const)
    await queue.add(requestOf(id, orgId));
  await expect.poll(() => [...ends.keys()]).toEqual(['1', '2']);
  ends.get('1')!();
  await queue.waitForEnd('1', 5_000, new AbortController().signal);
  await expect.poll(() => [...ends.keys()]).toEqual(['1', '2', '4']);
  ends.get('4')!(new Error('down'));
  await queue.waitForEnd('4', 5_000, new AbortController().signal);
  expect(notes.get('1')).toMatchObject({ status: 'done', reason: null });
  expect(notes.get('4')).toMatchObject({ status: 'failed', reason: 'down' });
  await expect.poll(() => [...ends.keys()]).toEqual(['1', '2', '4', '3']);
  await queue.close();
});

it('continues what an earlier process did not end, from where it came', async () => {
  const notes = memoryNotes();
  const reached = { firstBlock: 10, fromBlock: 50, toBlock: 90, fills: 3 };
  const stops: Scan = async (_note, progress, signal) => {
    await progress(reached);
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const first = open(stops, notes).queue;
  await first.add(requestOf('1'));
  await expect.poll(() => notes.get('1')).toMatchObject(reached);
  await first.close();
  expect(notes.get('1')).toMatchObject({ status: 'running', endedAt: null });
  const continued: unknown[] = [];
  const { queue } = open(async (note) => void continued.push(note), notes);
  expect(await queue.add(requestOf('1'))).toBe(true);
  await queue.waitForEnd('1', 5_000, new AbortController().signal);
  expect(continued).toEqual([expect.objectContaining(reached)]);
  expect(notes.states).toEqual(['1 queued null', '1 running null', '1 running 50', '1 running 50', '1 done 50']);
  await queue.close();
});

it('refuses more than ten unfinished ones of an organization', async () => {
  const { queue } = open(heldScans().scan);
  for (let nth = 0; nth < 10; nth += 1) expect(await queue.add(requestOf(String(nth)))).toBe(true);
  expect(await queue.add(requestOf('more'))).toBe(false);
  expect(await queue.add(requestOf('3'))).toBe(true);
  expect(await queue.add(requestOf('other', 'org_b'))).toBe(true);
  await queue.close();
});

it('waits no longer than is asked, and not after the signal', async () => {
  const { queue } = open(heldScans().scan);
  await queue.add(requestOf('1'));
  await queue.waitForEnd('1', 1, new AbortController().signal);
  await queue.waitForEnd('1', 60_000, AbortSignal.abort());
  await queue.close();
});
