import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TABLE_TOPICS } from '#processors/sink/table-topics';
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import { migrate } from '../../store/migrate.ts';
import { type CommonCut, findCommonCut, listRemoved, removedSources, seqsBefore } from './common-cut.ts';
import { compareTables } from './compare-tables.ts';
import { compareTopics, derivedTopics } from './compare-topics.ts';
import type { Verification } from './difference.ts';
import { isDropUnfinished } from './drop-projections.ts';
import { fillExpectedRows } from './expected-rows.ts';
import { readLiveProgress } from './live-progress.ts';
import { overlayLog } from './overlay-log.ts';
import { startProgressBar } from './progress-bar.ts';
import { rebuildTopics } from './rebuild.ts';
import type { Replay } from './rebuild-in-place.ts';
import { ReplayRefusedError } from './replay-refused-error.ts';

const DAY_MS = 86_400_000;

export interface VerifyOptions {
  /** Folder in which the scratch log is made, and removed again. */
  readonly scratchParent: string;
  /** Days that raw and derived topics are kept (`PARALLAX_RETENTION_DAYS`). */
  readonly retentionDays: number;
}

/**
 * Derives everything again from the raw topics into a scratch log and a second database, and compares. Writes nothing
 * into the live log and the live database: what the live side had not come to when it stopped is counted as pending.
 * Where raw topics no longer hold their beginning, it begins at the oldest cut since when they do, and compares from
 * there; rejects with `ReplayRefusedError` where there is none, and where a replay was interrupted while it dropped things.
 */
export async function verifyAgainstRebuild(
  replay: Replay,
  { scratchParent, retentionDays }: VerifyOptions,
): Promise<Verification> {
  const { ports, bars } = replay;
  if (await isDropUnfinished(ports.log))
    throw new ReplayRefusedError(
      'nothing was compared: a replay was interrupted before it had dropped all; `npm run replay` or the next `npm start` ' +
        'finishes it',
    );
  const cut = await cutToBeginAt(replay);
  const progress = await readLiveProgress(replay, cut);
  const now = Date.now();
  const scratchDir = await mkdtemp(join(scratchParent, 'parallax-verify-'));
  const scratch = await openEmbeddedLog({ path: scratchDir });
  const database = `${ports.store.database}_verify`;
  await ports.store.command(`DROP DATABASE IF EXISTS ${database}`);
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
      label: 'rebuild',
      ...(cut ? { startFrom: cut.snapshots } : {}),
    });
    const topics = await withBar('compare topics', derivedTopics().length, (onCompared) =>
      compareTopics({
        live: ports.log,
        rebuilt: scratch,
        codec: ports.codec,
        progress,
        seqsBefore: cut ? seqsBefore(cut) : new Map(),
        rawMaxAgeMs: retentionDays * DAY_MS,
        now,
        onCompared,
      }),
    );
    await withBar('rebuild tables', TABLE_TOPICS.size, (onFilled) =>
      fillExpectedRows({ ...replay, ...rebuildPorts, progress, sink: topics.sink, now, onFilled }),
    );
    const tables = await withBar('compare tables', TABLES.length, (onCompared) =>
      compareTables({ live: ports.store, expected: store, receivedSince: cut?.at ?? null, onCompared }),
    );
    return {
      differences: [...topics.differences, ...tables.differences],
      pending: { ...topics.pending, ...tables.pending },
    };
  } finally {
    await ports.store.command(`DROP DATABASE IF EXISTS ${database}`);
    await scratch.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
}

/** Null where the raw topics are whole, so that everything begins at the beginning. */
async function cutToBeginAt({ ports, stages, logger }: Replay): Promise<CommonCut | null> {
  const removed = await removedSources(ports.log, stages);
  if (removed.length === 0) return null;
  const cut = await findCommonCut({ log: ports.log, codec: ports.codec, logger }, stages);
  if (!cut)
    throw new ReplayRefusedError(
      `nothing can be compared: retention has removed the beginning of raw topics (${listRemoved(removed)}), and there is ` +
        'no UTC midnight since when they are whole and of which every processor has a snapshot; one is taken at each midnight',
    );
  const since = new Date(cut.at).toISOString();
  console.error(
    `retention has removed the beginning of raw topics (${listRemoved(removed)}); comparing since ${since}`,
  );
  return cut;
}
