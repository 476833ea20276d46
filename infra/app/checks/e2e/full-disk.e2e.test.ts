/** Runs a service on a full disk: it ingests nothing, loses nothing, and resumes when there is room. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { mountSmallDisk } from '../../../testing/small-disk.ts';
import { runCommand } from './command.ts';
import { type RawRecords, readRaw } from './raw-records.ts';
import { eventually, get, getHealth, getMetric, type Service, startService } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';

const MEBIBYTE = 2 ** 20;
const DISK_BYTES = 300 * MEBIBYTE;
/** Less than the 64 MiB that the log reserves for deletions. */
const BELOW_RESERVE_BYTES = 40 * MEBIBYTE;
const FLAGS = ['--venues', 'sim', '--sim-rate', '400', '--sim-events', '8', '--sim-coins', '12'];
const DISK_FULL = /the disk of the log is full/;
/** Time for a clean stop, as process supervisors allow it. */
const STOP_MS = 15_000;
/** The longest pause between two attempts, plus time for a busy machine. */
const RESUMES_MS = 20_000;
/** A failed retention run is retried within 60 s. */
const HEALTHY_AGAIN_MS = 75_000;
/** On a full disk the log first uses up the free pages of its own file. */
const USED_UP_MS = 120_000;

/** The coin with the fewest trades: its last 200 cover more than a minute. */
const RARE_COIN = 'ZEC';

const channel = 'svc:stream:trade:venue_b';
const disk = mountSmallDisk('parallax-full', DISK_BYTES);
const title = disk ? 'a full disk' : 'a full disk (skipped: mounting a small file system needs Linux and root)';

interface CoinTrades {
  /** Newest first. */
  readonly trades: readonly { readonly ts: number }[];
}

describe.skipIf(!disk)(title, () => {
  const dataDir = `${disk?.path}/data`;
  let service: Service;
  let stream: StreamClient;
  /** Acknowledged records, as they were last read. */
  let acknowledged: RawRecords = new Map();
  let seen: CoinTrades;

  const start = async () => {
    service = await startService({ dataDir, flags: FLAGS });
    stream = await openStream(service);
  };
  const receivedSeqs = () => stream.events(channel).map(({ seq }) => seq);
  const waitForMoreThan = (events: number) =>
    eventually(
      async () => receivedSeqs().length,
      (count) => count > events,
      RESUMES_MS,
    );
  const trades = () => get<CoinTrades>(service, `/v1/markets/venue_a/coins/${RARE_COIN}/trades?limit=200`);

  /** Expects that all records read before are unchanged, and stores what the log holds now. */
  async function expectUnchanged(): Promise<void> {
    const now = await readRaw(dataDir);
    for (const [partition, records] of acknowledged)
      expect(now.get(partition)?.slice(0, records.length)).toEqual(records);
    acknowledged = now;
  }

  const countOf = (records: RawRecords) => [...records.values()].reduce((sum, { length }) => sum + length, 0);

  /** Waits until ingest reports that the disk is full and the count of ingested records stops. */
  async function expectStandstill(): Promise<void> {
    await eventually(
      () => getHealth(service),
      ({ status, parts }) => status === 'degraded' && DISK_FULL.test(parts.ingest!),
    );
    const readIngested = () => getMetric(service, 'parallax_ingested_total');
    let before = Number.NaN;
    await eventually(
      async () => {
        const now = await readIngested();
        const same = now === before;
        before = now;
        if (!same) await sleep(2_000);
        return same;
      },
      (same) => same,
      USED_UP_MS,
    );
  }

  async function expectAnswers(): Promise<void> {
    const coin = '/v1/markets/venue_a/coins/BTC';
    // Not its book and candles: what is not recent is requested from ingest, which may or may not find room in the log.
    for (const path of ['/v1/markets/venue_a/coins', coin, `${coin}/trades`]) await get(service, path);
    const { events } = await get<{ events: { universalId: string }[] }>(service, '/v1/events');
    expect(events.length).toBeGreaterThan(0);
    await get(service, `/v1/events/${events[0]!.universalId}/trades`);
    expect(service.process.exitCode).toBeNull();
  }

  afterAll(async () => {
    if (service?.process.exitCode === null) await service.kill();
    disk!.remove();
  });

  it('ingests nothing, reports it, answers requests and loses nothing', async () => {
    await start();
    await stream.subscribe(channel);
    await waitForMoreThan(50);
    seen = await eventually(trades, (answer) => answer.trades.length > 10);
    disk!.fill(BELOW_RESERVE_BYTES);
    await expectStandstill();
    await expectAnswers();
    await expectUnchanged();
    expect(countOf(acknowledged)).toBeGreaterThan(1_000);

    // Also use up the reserve, down to the last byte.
    disk!.fill(0);
    await sleep(3_000);
    expect(disk!.freeBytes()).toBeLessThan(MEBIBYTE);
    await expectStandstill();
    await expectAnswers();
    await expectUnchanged();
    // Read again, since at this rate the last 200 trades do not cover the whole test.
    seen = await trades();
  }, 360_000);

  it('resumes when there is room, with nothing missing', async () => {
    const before = receivedSeqs().length;
    disk!.clear();
    await eventually(
      () => getHealth(service),
      ({ parts }) => Object.entries(parts).every(([part, state]) => state === 'ready' || part === 'retention'),
      RESUMES_MS,
    );
    await waitForMoreThan(before + 50);
    expect(receivedSeqs()).toEqual(receivedSeqs().map((_, nth) => receivedSeqs()[0]! + nth));
    const { trades: newest } = await eventually(trades, ({ trades: [first] }) => first!.ts > seen.trades[0]!.ts);
    const reached = seen.trades.filter(({ ts }) => ts > newest.at(-1)!.ts);
    expect(reached.length).toBeGreaterThan(0);
    for (const trade of reached) expect(newest).toContainEqual(trade);
    await eventually(
      () => getHealth(service),
      ({ status }) => status === 'ok',
      HEALTHY_AGAIN_MS,
    );
    await expectUnchanged();
  }, 120_000);

  it('stops cleanly on a full disk, and the next start has everything', async () => {
    disk!.fill(0);
    await expectStandstill();
    await expectUnchanged();
    const [last] = stream.events(channel).slice(-1);
    const startedAt = Date.now();
    // Exit code 1 means that the last received, never acknowledged records could not be written.
    expect([0, 1]).toContain(await service.stop('SIGINT'));
    expect(Date.now() - startedAt).toBeLessThan(STOP_MS);
    disk!.clear();
    await expectUnchanged();

    await start();
    await stream.subscribe(channel, last!.cursor);
    await waitForMoreThan(50);
    expect(receivedSeqs()).toEqual(receivedSeqs().map((_, nth) => last!.seq + 1 + nth));
    await stream.close();
    expect(await service.stop()).toBe(0);
    await expectUnchanged();
    const verified = await runCommand('replay', ['--data-dir', dataDir, '--verify', '--json']);
    // The newest records may be pending, since the venues send until the stop.
    expect(JSON.parse(verified.out)).toMatchObject({ differences: [] });
    expect(verified.code).toBe(0);
  }, 180_000);
});
