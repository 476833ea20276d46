/** Accepts hints: at most one for each account and window in a minute makes its series due. */
import type { Window } from '#schemas/domain/returns/series';
import { SERIES_REFRESHES, type SeriesHint } from '#schemas/requests/series-refresh';
import type { ProviderFamily } from '#schemas/venues/accounts';
import { defineHandler, type RequestHandler } from '../requests/request-handler.ts';
import type { SeriesDue } from './series-due.ts';

const INTERVAL_MS = 60_000;
/** Handled at once; each takes no time. */
const RUNNING = 100;
/** A caller does not wait longer. */
const EXPIRES_MS = 10_000;

export class SeriesHints {
  private readonly due: Pick<SeriesDue, 'makeDue'>;
  private readonly now: () => number;
  /** When the newest hint was accepted, by account and window, oldest first; those of the last minute. */
  private readonly accepted = new Map<string, number>();

  /** @param now unix ms. */
  constructor(due: Pick<SeriesDue, 'makeDue'>, now: () => number) {
    this.due = due;
    this.now = now;
  }

  add(address: string, window: Window): SeriesHint {
    const now = this.now();
    for (const [key, at] of this.accepted) {
      if (now - at < INTERVAL_MS) break;
      this.accepted.delete(key);
    }
    const key = `${address} ${window}`;
    const last = this.accepted.get(key);
    if (last !== undefined) return { window, accepted: false, nextHintAt: last + INTERVAL_MS };
    this.accepted.set(key, now);
    this.due.makeDue(address, window);
    return { window, accepted: true, nextHintAt: now + INTERVAL_MS };
  }
}

export function createHintHandler(family: ProviderFamily, hints: SeriesHints): RequestHandler {
  return defineHandler({
    kind: SERIES_REFRESHES[family],
    running: RUNNING,
    expiresAfterMs: EXPIRES_MS,
    run: async ({ address, windows }) => ({ hints: windows.map((window) => hints.add(address, window)) }),
  });
}
