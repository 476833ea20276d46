/**
 * How much disk does Parallax take for what it sees? `footprint-disk` plays a simulated recording into an empty log:
 * bytes of the log folder for each byte of raw payload. `footprint-disk-event` lets every stage and table work on it:
 * bytes of the whole data directory for each simulated event. The baseline of both is the payload bytes alone.
 *
 * What would skew it: counting file lengths instead of what the disk gives away for them (holes, started pages); a log
 * that is still open (records gather at the end of partitions before they are compressed, at the latest when it is
 * closed); a world so short that the answers of the catalog at its beginning outweigh what follows; another rate than the
 * default one (mids, contexts and block headers come by time, not by event).
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { rawTopics } from '#schemas/topics/raw';
import { migrate } from '../../store/migrate.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { openService, openWorld, processAll } from '../open-world.ts';
import { readRawRecords } from '../raw-records.ts';

/** The default of `--sim-rate`. */
const RATE = 200;
const SECONDS = 240;
const MEBIBYTE = 2 ** 20;

export interface FootprintSize {
  readonly rate: number;
  readonly seconds: number;
}

export const footprintDisk: Bench = {
  aims: { 'footprint-disk': { ratioMax: 0.6 }, 'footprint-disk-event': { valueMax: 1_024 } },
  run: (context) => measureFootprint(context, { rate: RATE, seconds: SECONDS }),
};

export async function measureFootprint(
  { folder, onProgress }: BenchContext,
  { rate, seconds }: FootprintSize,
): Promise<BenchResult[]> {
  const data = join(folder, 'service');
  const raw = await openWorld({ folder, rate, seconds });
  const payloadBytes = await rawPayloadBytes(raw.context).finally(() => raw.close());
  const rawDiskBytes = diskBytesOf(join(data, 'log'));
  onProgress(0.3);
  const all = await openService(data, `recording:${join(folder, 'recording')}`);
  try {
    await processAll(all.context);
    onProgress(0.8);
    await migrate(all.context.store);
    await runSinkOnce(all.context);
  } finally {
    await all.close();
  }
  const events = rate * seconds;
  const perEvent = { value: diskBytesOf(data) / events, baseline: payloadBytes / events };
  return [
    {
      name: 'footprint-disk',
      value: rawDiskBytes / MEBIBYTE,
      unit: 'MiB',
      baseline: payloadBytes / MEBIBYTE,
      ratio: rawDiskBytes / payloadBytes,
    },
    { name: 'footprint-disk-event', unit: 'bytes', ...perEvent, ratio: perEvent.value / perEvent.baseline },
  ];
}

async function rawPayloadBytes({ log, codec }: Parameters<typeof processAll>[0]): Promise<number> {
  let bytes = 0;
  for (const { topic, value } of await readRawRecords(log)) {
    await codec.learn(value!);
    bytes += codec.decode(rawTopics.get(topic)!, value!).payload.length;
  }
  return bytes;
}

/** What the disk gives away for the files of a folder. */
function diskBytesOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? diskBytesOf(path) : lstatSync(path).blocks * 512;
  }
  return bytes;
}
