import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { loadSettings } from '#infra/config/settings';
import { Lz4Error } from '#schemas/domain/lz4/read-frames';
import { writeLz4Frame } from '#schemas/domain/lz4/write-frame';
import { builderDayTopic, registeredBuilderTopic } from '#schemas/topics/builder-exports';
import { DAY_MS, readBuilderFileText, readBuilderRows } from '#schemas/venues/venue-a/builder-export';
import { type Answer, startHttpServer } from '../../../testing/http-server.fixture.ts';
import { MemoryLog } from '../../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger } from '../../../testing/open-publisher.fixture.ts';
import { openTestRole, testFolder } from '../../../testing/role-context.fixture.ts';
import { FilesDue } from './files-due.ts';
import { startFileRequests } from './request-files.ts';

const BUILDER = `0x${'b'.repeat(40)}`;
const HOUR = 3_600_000;
const TODAY = Date.parse('2026-01-20T00:00:00Z');
const HEADER =
  'time,user,coin,side,px,sz,crossed,special_trade_type,tif,is_trigger,counterparty,closed_pnl,twap_id,builder_fee';
/** A file with one row. */
const csv = (coin: string) =>
  writeLz4Frame(
    Buffer.from(`${HEADER}\n2026-01-15T00:00:00Z,${BUILDER},${coin},Bid,1,1,true,Na,Ioc,false,0x0,0,0,0\n`),
  );
function coinOf(file: Buffer): string {
  try {
    return [...readBuilderRows(file)].flat()[0]!.coin;
  } catch (error) {
    if (!(error instanceof Lz4Error)) throw error;
    return 'unreadable';
  }
}
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Takes all files that are due and marks each as requested. */
function drain(due: FilesDue): number[] {
  const days: number[] = [];
  for (let next = due.next(); next; next = due.next()) {
    days.push((next.day - TODAY) / DAY_MS);
    due.markDone(next);
  }
  return days;
}

it('requests 30 days back when a builder is added, then the last three every hour, and each new day', () => {
  let now = TODAY + HOUR;
  const due = new FilesDue({ now: () => now });
  due.add(BUILDER, TODAY - 30 * DAY_MS);
  const all = drain(due);
  expect(all).toEqual(Array.from({ length: 30 }, (_, nth) => -1 - nth));
  now += HOUR - 1;
  expect(drain(due)).toEqual([]);
  now += 1;
  expect(drain(due)).toEqual([-1, -2, -3]);
  now = TODAY + DAY_MS;
  expect(drain(due).sort((a, b) => a - b)).toEqual([-3, -2, -1, 0]);
  now += HOUR;
  expect(drain(due)).toEqual([0, -1, -2]);
  due.remove(BUILDER);
  now += HOUR;
  expect(drain(due)).toEqual([]);
});

it('requests a file that failed again with growing waits', () => {
  let now = TODAY;
  const due = new FilesDue({ now: () => now, random: () => 0.5 });
  due.add(BUILDER, TODAY - DAY_MS);
  const waits: number[] = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    due.markFailed(due.next()!);
    const since = now;
    while (!due.next()) now += 1_000;
    waits.push((now - since) / 1_000);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
});

it('publishes files, does not repeat unchanged ones, repeats unreadable ones, and publishes that there is none once that is final', async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  const role = await openTestRole(folder, {});
  closing.push(() => role.close());
  const { log, codec } = role.context;
  await log.createTopics([registeredBuilderTopic, builderDayTopic]);
  await codec.prepare([registeredBuilderTopic, builderDayTopic]);
  const builder = { builder: BUILDER, since: TODAY - 5 * DAY_MS };
  const known = { builder: BUILDER, day: TODAY - 3 * DAY_MS, fileAt: 1, hasFile: true, rows: 1, sha256: 'x' };
  const at = { partition: 0, receivedAt: 1_000, seq: 1 };
  await log.append([
    { ...at, topic: registeredBuilderTopic.name, key: BUILDER, value: codec.encode(registeredBuilderTopic, builder) },
    {
      ...at,
      topic: builderDayTopic.name,
      key: `${BUILDER}/${known.day}`,
      value: codec.encode(builderDayTopic, { ...known, etag: '"known"' }),
    },
  ]);
  const answers: Record<string, Answer> = {
    '20260119': { body: csv('NEWEST'), headers: { etag: '"new"' } },
    '20260118': { status: 403 },
    '20260117': { status: 304 },
    '20260116': { status: 403 },
    '20260115': { body: csv('OLDEST').subarray(0, -1), headers: { etag: '"old"' } },
  };
  let now = TODAY + HOUR;
  const host = await startHttpServer(({ path }) => answers[/(\d+)\.csv/.exec(path)![1]!]!);
  closing.push(() => host.close());
  const test = await openTestPublisher({ log: new MemoryLog() });
  closing.push(() => test.publisher.close());
  const settings = loadSettings([], { PARALLAX_VENUE_A_STATS_URL: host.url });
  const context = { ...test, log, codec, settings, logger: silentLogger };
  const requests = await startFileRequests({ context, intervalMs: 5, now: () => now });
  closing.push(() => requests.close());
  const published = () =>
    test.raw('venue_a', 'builder_fills').map(({ request, payload }) => {
      const { file, etag } = readBuilderFileText(gunzipSync(payload.subarray(8)).toString());
      return `${/(\d+)\.csv/.exec(request!)![1]} ${file && coinOf(file)} ${etag}`;
    });
  const expected = ['20260119 NEWEST "new"', '20260116 null null', '20260115 unreadable "old"'];
  await vi.waitFor(() => expect(published()).toEqual(expected), 10_000);
  expect(host.requests.map(({ headers }) => headers['if-none-match'])).toEqual([
    undefined,
    undefined,
    '"known"',
    undefined,
    undefined,
  ]);
  expect(host.requests[0]!.path).toBe(`/Mainnet/builder_fills/${BUILDER}/20260119.csv.lz4`);
  answers['20260119'] = { status: 304 };
  now += HOUR;
  // The file that was cut off is requested again without its tag, beside those of the last three days.
  await vi.waitFor(() => expect(host.requests).toHaveLength(9), 10_000);
  expect(host.requests.slice(5).map(({ path, headers }) => [path.slice(-16, -8), headers['if-none-match']])).toEqual([
    ['20260119', '"new"'],
    ['20260118', undefined],
    ['20260117', '"known"'],
    ['20260115', undefined],
  ]);
  expect(published()).toEqual(expected);
  answers['20260115'] = { body: csv('OLDEST'), headers: { etag: '"old"' } };
  now += HOUR;
  await vi.waitFor(() => expect(published()).toEqual([...expected, '20260115 OLDEST "old"']), 10_000);
  const requested = host.requests.length;
  now += HOUR;
  await vi.waitFor(() => expect(host.requests).toHaveLength(requested + 3), 10_000);
});
