import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TOPICS } from '#schemas/topics/catalog';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import { migrate } from '../../store/migrate.ts';
import { type CommonCut, findCommonCut, listRemoved, removedSources, seqsBefore } from './common-cut.ts';
import { compareTables, compareTopics, type Difference } from './compare.ts';
import { isDropUnfinished } from './drop-projections.ts';
import { overlayLog } from './overlay-log.ts';
import { rebuild } from './rebuild.ts';
import type { Replay } from './rebuild-in-place.ts';
import { ReplayRefusedError } from './replay-refused-error.ts';

/**
 * First lets the live side finish what a stop left over, as its next start would; then derives everything again from
 * the raw topics into a scratch log and a second database, and compares. Where raw topics no longer hold their beginning,
 * it begins at the oldest cut since when they do, and compares from there; rejects with `ReplayRefusedError` where there
 * is none, and where a replay was interrupted while it dropped things.
 *
 * @param scratchParent folder in which the scratch log is made, and removed again.
 */
export async function verifyAgainstRebuild(replay: Replay, scratchParent: string): Promise<Difference[]> {
  const { ports } = replay;
  if (await isDropUnfinished(ports.log))
    throw new ReplayRefusedError(
      'nothing was compared: a replay was interrupted before it had dropped all; `npm run replay` or the next `npm start` ' +
        'finishes it',
    );
  await rebuild({ ...replay, label: 'finish ' });
  const cut = await cutToBeginAt(replay);
  const from = cut && { at: cut.at, seqs: seqsBefore(cut) };
  const scratchDir = await mkdtemp(join(scratchParent, 'parallax-verify-'));
  const scratch = await openEmbeddedLog({ path: scratchDir });
  const database = `${ports.store.database}_verify`;
  await ports.store.command(`DROP DATABASE IF EXISTS ${database}`);
  const store = await ports.store.inDatabase(database);
  try {
    await migrate(store);
    const log = overlayLog(ports.log, scratch);
    await log.createTopics(TOPICS);
    await rebuild({
      ...replay,
      ports: { log, store, codec: ports.codec },
      label: 'rebuild',
      ...(cut ? { startFrom: cut.snapshots } : {}),
    });
    return [
      ...(await compareTopics(ports.log, scratch, ports.codec, from)),
      ...(await compareTables(ports.store, store, from)),
    ];
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
