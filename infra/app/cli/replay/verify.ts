import { mkdir, rm } from 'node:fs/promises';
import { TABLE_TOPICS } from '#processors/sink/table-topics';
import { dropDatabase } from '#schemas/tables/cluster-statements';
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { migrate } from '../../../store/migrate.ts';
import { startProgressBar } from '../progress-bar.ts';
import {
  type CommonCheckpoint,
  findCommonCheckpoint,
  listRemoved,
  removedSourceRecords,
  seqsBefore,
} from './common-checkpoint.ts';
import { compareTables } from './compare-tables.ts';
import { compareTopics, derivedTopics } from './compare-topics.ts';
import type { Verification } from './difference.ts';
import { isDropUnfinished } from './drop-projections.ts';
import { fillExpectedRows } from './expected-rows.ts';
import { readLiveProgress } from './live-progress.ts';
import { overlayLog } from './overlay-log.ts';
import { rebuildTopics } from './rebuild.ts';
import type { Replay } from './rebuild-in-place.ts';
import { ReplayRefusedError } from './replay-refused-error.ts';

const DAY_MS = 86_400_000;

export interface VerifyOptions {
  /** Folder for the scratch log, which is removed before and afterwards. */
  readonly scratchDir: string;
  /** Retention of raw and derived topics in days (`PARALLAX_RETENTION_DAYS`). */
  readonly retentionDays: number;
}

/**
 * Derives everything again from the raw topics into a scratch log and a second database, and compares. Writes nothing
 * into the live log and the live database; what the live side did not write before it stopped is counted as pending. If
 * retention has removed raw records, it starts from the oldest common daily checkpoint since when they are complete.
 * Rejects with `ReplayRefusedError` if there is none, and after a replay that was interrupted while it dropped
 * projections.
 */
export async function verifyAgainstRebuild(
  replay: Replay,
  { scratchDir, retentionDays }: VerifyOptions,
): Promise<Verification> {
  const { ports, bars } = replay;
  if (await isDropUnfinished(ports.log))
    throw new ReplayRefusedError(
      'nothing was compared: a replay was interrupted while it dropped projections; run `npm run replay` or `npm start` ' +
        'to finish it',
    );
  const checkpoint = await startCheckpoint(replay);
  const progress = await readLiveProgress(replay, checkpoint);
  const now = Date.now();
  // A verification that was killed left both behind.
  await rm(scratchDir, { recursive: true, force: true });
  await mkdir(scratchDir, { mode: 0o700 });
  const scratch = await openEmbeddedLog({ path: scratchDir });
  const database = `${ports.store.database}_verify`;
  await ports.store.command(dropDatabase(database, ports.store.cluster));
  const store = await ports.store.inDatabase(database);
  const withBar = async <T>(label: string, total: number, work: (onProgress: (done: number) => void) => Promise<T>) => {
    const bar = bars ? startProgressBar(label, 'done', total) : null;
    const result = await work((done) => bar?.update(done));
    bar?.stop();
    return result;
  };
  try {
    await migrate(store);
    const log = overlayLog(ports.log, scratch);
    await log.createTopics(TOPICS);
    const rebuildPorts = { log, store, codec: ports.codec };
    await rebuildTopics({
      ...replay,
      ports: rebuildPorts,
      scratch: scratchDir,
      label: 'rebuild',
      ...(checkpoint ? { startFrom: checkpoint.snapshots } : {}),
    });
    const topics = await withBar('compare topics', derivedTopics().length, (onCompared) =>
      compareTopics({
        live: ports.log,
        rebuilt: scratch,
        codec: ports.codec,
        progress,
        seqsBefore: checkpoint ? seqsBefore(checkpoint) : new Map(),
        rawMaxAgeMs: retentionDays * DAY_MS,
        now,
        onCompared,
      }),
    );
    await withBar('rebuild tables', TABLE_TOPICS.size, (onFilled) =>
      fillExpectedRows({ ...replay, ...rebuildPorts, progress, sink: topics.sink, now, onFilled }),
    );
    const tables = await withBar('compare tables', TABLES.length, (onCompared) =>
      compareTables({ live: ports.store, expected: store, receivedSince: checkpoint?.at ?? null, onCompared }),
    );
    return {
      differences: [...topics.differences, ...tables.differences],
      pending: { ...topics.pending, ...tables.pending },
    };
  } finally {
    await ports.store.command(dropDatabase(database, ports.store.cluster));
    await scratch.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
}

/** Null if the raw topics are complete, so that the rebuild starts from their first records. */
async function startCheckpoint({ ports, stages, logger }: Replay): Promise<CommonCheckpoint | null> {
  const removed = await removedSourceRecords(ports.log, stages);
  if (removed.length === 0) return null;
  const checkpoint = await findCommonCheckpoint({ log: ports.log, codec: ports.codec, logger }, stages);
  if (!checkpoint)
    throw new ReplayRefusedError(
      `nothing can be compared: retention has removed raw records (${listRemoved(removed)}), and there is no UTC midnight ` +
        'since when all are stored and of which every stage has a daily checkpoint; stages write one at each midnight',
    );
  const since = new Date(checkpoint.at).toISOString();
  console.error(`retention has removed raw records (${listRemoved(removed)}); comparing since ${since}`);
  return checkpoint;
}
