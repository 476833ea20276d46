import { listRemoved, removedSourceRecords } from './common-checkpoint.ts';
import { dropProjections } from './drop-projections.ts';
import { type RebuildOptions, rebuild } from './rebuild.ts';
import { ReplayRefusedError } from './replay-refused-error.ts';

export type Replay = Pick<RebuildOptions, 'ports' | 'stages' | 'threads' | 'logger' | 'metrics' | 'bars'>;

/**
 * Drops every projection and derives it again. Channels start a new epoch, which informs clients. Rejects with
 * `ReplayRefusedError`, before anything is dropped, if retention has removed raw records. If it is interrupted, the
 * next start of the service or the next replay finishes it.
 *
 * @param log the setting `--log`.
 */
export async function rebuildInPlace(replay: Replay, log: string): Promise<void> {
  const { ports, stages } = replay;
  const removed = await removedSourceRecords(ports.log, stages);
  if (removed.length > 0)
    throw new ReplayRefusedError(
      `nothing was changed: retention has removed raw records (${listRemoved(removed)}), so records derived from them ` +
        `could not be rebuilt. --verify compares what can still be derived. ${rebuildElsewhere(log)}`,
    );
  await dropProjections(ports, stages);
  await rebuild({ ...replay, label: 'rebuild' });
}

/** How to derive again what the stored raw records hold, without losing what was derived from removed ones. */
function rebuildElsewhere(log: string): string {
  if (log === 'embedded')
    return (
      'To rebuild from the stored raw records, start the service, run `npm run record -- --from-start --out <folder>`, and ' +
      'play it into another data directory: `npm start -- --data-dir <another> --venues recording:<folder>`'
    );
  return (
    'To rebuild from the stored raw records, run `npm run record -- --follow off --out <folder>` with the --log and ' +
    '--schema-registry of this log, and play it into an empty log and an empty store: `npm start -- --venues ' +
    'recording:<folder>` with other values of --log, --schema-registry and --store'
  );
}
