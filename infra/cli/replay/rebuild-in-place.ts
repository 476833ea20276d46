import { projectionsOf } from '#processors/stages';
import { TABLES } from '#schemas/tables/index';
import { channelTopics } from '#schemas/topics/channels';
import { beginEpoch } from '../../log/epochs.ts';
import { listRemoved, removedSources } from './common-cut.ts';
import { isSourceTable } from './overlay-log.ts';
import { type RebuildOptions, rebuild } from './rebuild.ts';
import { ReplayRefusedError } from './replay-refused-error.ts';

export type Replay = Pick<RebuildOptions, 'ports' | 'stages' | 'logger' | 'metrics' | 'bars'>;

/**
 * Drops every projection and derives it anew; channels begin a new epoch, so clients learn of it. Rejects with
 * `ReplayRefusedError`, before anything is dropped, where raw topics no longer hold all that it was derived from.
 */
export async function rebuildInPlace(replay: Replay): Promise<void> {
  const { ports, stages } = replay;
  const removed = await removedSources(ports.log, stages);
  if (removed.length > 0)
    throw new ReplayRefusedError(
      `nothing was changed: retention has removed raw records (${listRemoved(removed)}), and what was derived from them ` +
        'could not be derived again. --verify compares what still can be. To derive anew from what is kept, start the ' +
        'service, `npm run record -- --from-start --out <folder>`, and play it into another data directory: ' +
        '`npm start -- --data-dir <another> --venues recording:<folder>`',
    );
  const topics = projectionsOf(stages);
  await ports.log.createTopics(topics);
  for (const { name } of topics) await ports.log.clearTopic(name);
  for (const topic of Object.values(channelTopics)) await beginEpoch(ports.log, ports.codec, topic.name);
  for (const { name } of TABLES.filter((table) => !isSourceTable(table)))
    await ports.store.command(`TRUNCATE TABLE ${name}`);
  await rebuild({ ...replay, label: 'rebuild' });
}
