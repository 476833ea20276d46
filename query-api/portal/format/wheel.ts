/** Decides whether a turn of the wheel scrolls the page or zooms the chart below the pointer; pure. */

/** Turns of the wheel that follow each other faster than this are one movement, ms. */
const MOVEMENT_MS = 300;

/** The last turn. */
export interface WheelTurn {
  /** Time of its event, ms; from any start. */
  readonly at: number;
  readonly isOfPage: boolean;
}

/**
 * A movement that began elsewhere on the page goes on scrolling it, also when a chart comes below the pointer.
 *
 * @param last null before the first turn.
 */
export function nextTurn(last: WheelTurn | null, at: number, isOverChart: boolean): WheelTurn {
  const isSameMovement = last !== null && at - last.at < MOVEMENT_MS;
  return { at, isOfPage: isSameMovement ? last.isOfPage : !isOverChart };
}
