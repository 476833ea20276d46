/** Properties of a market that is linked to an event. */

/** Index of a market's YES outcome: the one of that name, else the first. */
export function yesIndexOf(outcomes: readonly string[]): number {
  return Math.max(
    0,
    outcomes.findIndex((name) => name.toLowerCase() === 'yes'),
  );
}

/** True if a linked market has a leg in the event's spread: its link is used, and its catalog names its instruments. */
export function hasLeg({ used, yesInstrument }: { readonly used: boolean; readonly yesInstrument: string }): boolean {
  return used && yesInstrument !== '';
}
