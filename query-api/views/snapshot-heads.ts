/** View of the newest hourly snapshot of each followed account. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type SnapshotHead, snapshotHeadTopic } from '#schemas/topics/nav-snapshots';

/** By account. */
export type SnapshotHeadsView = Map<string, SnapshotHead>;

export const snapshotHeadsView: Stage<SnapshotHeadsView> = {
  name: 'view.snapshot-heads',
  inputs: [
    onKeyed(snapshotHeadTopic, (view: SnapshotHeadsView, { key, value }) => {
      if (value) view.set(key, value);
      else view.delete(key);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};
