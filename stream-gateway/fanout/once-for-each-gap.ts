import type { SequenceGap } from './hub.ts';
import { onceForEach } from './once-for-each.ts';

/** Reports each gap once. */
export function onceForEachGap(report: (gap: SequenceGap) => void): (gap: SequenceGap) => void {
  // Retention can remove the beginning of a gap between two replays, but not its end.
  return onceForEach(({ channel, epoch, toSeq }) => `${channel} ${epoch} ${toSeq}`, report);
}
