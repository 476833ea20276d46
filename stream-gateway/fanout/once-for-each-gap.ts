import type { SequenceGap } from './hub.ts';

/** The gaps that are remembered, at some 100 bytes each; the oldest is dropped, and counts again if it is found again. */
const GAPS_MAX = 10_000;

/**
 * Calls `onGap` once for each gap. Every replay that reads the place finds it again, and clients decide how often that
 * is: without this, they could repeat an alert at will.
 */
export function onceForEachGap(onGap: (gap: SequenceGap) => void): (gap: SequenceGap) => void {
  const known = new Set<string>();
  return (gap) => {
    // Retention can remove the beginning of a gap between two replays, but not its end.
    const key = `${gap.channel} ${gap.epoch} ${gap.toSeq}`;
    if (known.has(key)) return;
    const [oldest] = known;
    if (known.size >= GAPS_MAX) known.delete(oldest!);
    known.add(key);
    onGap(gap);
  };
}
