import { listRemoved, removedSources } from './common-cut.ts';
import { dropProjections } from './drop-projections.ts';
import { type RebuildOptions, rebuild } from './rebuild.ts';
import { ReplayRefusedError } from './replay-refused-error.ts';

export type Replay = Pick<RebuildOptions, 'ports' | 'stages' | 'logger' | 'metrics' | 'bars'>;

/**
 * Drops every projection and derives it anew; channels begin a new epoch, so clients learn of it. Rejects with
 * `ReplayRefusedError`, before anything is dropped, where raw topics no longer hold all that it was derived from.
 * Interrupted at any point, it is finished by the next start of the service, or by another one.
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
  await dropProjections(ports, stages);
  await rebuild({ ...replay, label: 'rebuild' });
}
