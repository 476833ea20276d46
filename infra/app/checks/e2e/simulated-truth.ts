/** What a simulator states to be true of an account, for comparison with what a service calculated. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { VenueATruth } from '../../simulator/truth/venue-a-truth.ts';
import type { VenueBTruth } from '../../simulator/truth/venue-b-truth.ts';

export interface Truth {
  readonly venue_a: VenueATruth;
  readonly venue_b: VenueBTruth;
}

const TIMEOUT_MS = 10_000;
/** Prices and cash may change while an account is read, so its value is that of a moment within these of `asOf`, ms. */
const MOMENTS = [0, -500, 500, 1_000, -1_000, 2_000, -2_000, -3_000, 3_000];

/** @param simulatorUrl without a path. */
export async function readTruth(simulatorUrl: string, address: string, at: number): Promise<Truth> {
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    const response = await fetch(`${simulatorUrl}/truth/${address}?at=${at}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 200) return (await response.json()) as Truth;
    // The simulator is some milliseconds behind the clock.
    if (Date.now() > until) throw new Error(`no truth of ${address} at ${at}: ${response.status}`);
    await sleep(50);
  }
}

interface StatedNav {
  readonly venue: keyof Truth;
  readonly address: string;
  readonly asOf: string;
  readonly nav: number;
  /** True if the value may mix prices of these moments: it differs from one of theirs by less than they changed. */
  readonly isMixed?: boolean;
}

/** True if the account was worth this around a time; false also if it has no value. */
export async function isTrueNav(
  simulatorUrl: string,
  { venue, address, asOf, nav, isMixed = false }: StatedNav,
): Promise<boolean> {
  const navs: number[] = [];
  for (const offset of MOMENTS) {
    const { navUsd } = (await readTruth(simulatorUrl, address, Date.parse(asOf) + offset))[venue];
    if (navUsd === null) return false;
    if (Number(navUsd) === nav) return true;
    navs.push(Number(navUsd));
  }
  const [low, high] = [Math.min(...navs), Math.max(...navs)];
  return isMixed && nav > low - (high - low) && nav < high + (high - low);
}
