/** How the figures of a part of the page arrive: at once over a channel, or by reads from time to time. */
import type { PriceState } from '#schemas/domain/price-state';
import { wordsOf } from '../../format/names.ts';
import { isPaused } from '../../live/activity.ts';
import { isDelivering } from '../../live/live-resource.ts';
import type { Newest } from '../../live/newest.ts';

interface ArrivalProps {
  readonly newest: Newest;
  /** What arrives: "Each change". */
  readonly what: string;
  /** Milliseconds between two reads while no channel delivers. */
  readonly everyMs: number;
  /** The state of the market, if its channel states one. */
  readonly state?: PriceState | null;
}

export function Arrival({ newest, what, everyMs, state = null }: ArrivalProps) {
  return (
    <p class="facts-line muted">
      {state !== null && (
        <span class={state === 'live' ? 'tag good' : 'tag bad'} data-field="state">
          {wordsOf(state)}
        </span>
      )}
      <span data-field="arrival">{arrivalText(newest, what, everyMs)}</span>
    </p>
  );
}

function arrivalText(newest: Newest, what: string, everyMs: number): string {
  if (isPaused.value) return 'Paused: nothing is read until you continue.';
  if (isDelivering(newest)) return `${what} is shown at once.`;
  return `Read every ${everyMs / 1_000} seconds, as no channel delivers it now.`;
}
