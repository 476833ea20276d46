/**
 * Disk space that Parallax needs. `footprint-disk` plays a simulated recording into an empty log and measures bytes of
 * the log folder per byte of raw payload. `footprint-disk-event` also runs every stage and fills the tables, and
 * measures bytes of the data directory per simulated event. The baseline of both is the size of the payloads.
 *
 * Sources of error: file lengths instead of allocated blocks (sparse files, partial pages); an open log (the newest
 * records of a partition are compressed later, at the latest on close); a recording so short that the initial catalogs
 * dominate; a rate other than the default (mids, contexts and block headers depend on time, not on events).
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { rawTopics } from '#schemas/topics/raw';
import { migrate } from '../../../store/migrate.ts';
import { openService, openSimulatedService, processAll } from '../../simulated-service.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
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
  const raw = await openSimulatedService({ folder, rate, seconds });
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
    await codec.fetchSchema(value!);
    bytes += codec.decode(rawTopics.get(topic)!, value!).payload.length;
  }
  return bytes;
}

/** Bytes that are allocated for the files of a folder. */
function diskBytesOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? diskBytesOf(path) : lstatSync(path).blocks * 512;
  }
  return bytes;
}
