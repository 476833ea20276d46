/** The export of venue_a's leaderboard: a function of seed and time, with the same traders at any time. */
import { hexOf, STREAM, uniformOf } from '../../world/hash.ts';
import { smoothNoise } from '../../world/noise.ts';
import { amountText } from '../../world/number-text.ts';
import { HOUR_MS } from '../../world/time.ts';

/** Hours of each window; of the last one, for which its figures grow. */
const WINDOW_HOURS = { day: 24, week: 168, month: 720, allTime: 8_760 } as const;
/** Hours between two values of a trader's luck, from which the figures in between follow smoothly. */
const LUCK_HOURS = 6;
/** Decimals as the venue writes them. */
const DECIMALS = { accountValue: 6, pnl: 6, roi: 10, vlm: 2 } as const;
/** One of so many traders has a name. */
const NAMED = 8;

/** The text of the export at a time. The first traders are the accounts that trade on both simulated venues. */
export function leaderboardText(seed: number, traders: number, atMs: number): string {
  const rows = Array.from({ length: traders }, (_, trader) => rowText(seed, trader, atMs));
  return `{"leaderboardRows":[${rows.join(',')}]}`;
}

function rowText(seed: number, trader: number, atMs: number): string {
  const address = hexOf(seed, STREAM.account, trader, 0, 20);
  // Few accounts are large, and most are small.
  const value = 50 * 10 ** (6 * uniformOf(seed, STREAM.leaderboard, trader, 0) ** 3 + 1);
  const activity = uniformOf(seed, STREAM.leaderboard, trader, 1) ** 4;
  const name = trader % NAMED === 0 ? `"Trader ${trader}"` : 'null';
  const windows = Object.entries(WINDOW_HOURS).map(([window, hours], nth) => {
    const luck = smoothNoise(seed, STREAM.leaderboard, trader * 4 + nth + 2, atMs / HOUR_MS / LUCK_HOURS);
    const roi = luck * 0.04 * Math.sqrt(hours / 24);
    const figures = `"pnl":"${amountText(value * roi, DECIMALS.pnl)}","roi":"${amountText(roi, DECIMALS.roi)}"`;
    const vlm = amountText(value * activity * hours, DECIMALS.vlm);
    return `["${window}",{${figures},"vlm":"${vlm}"}]`;
  });
  const account = amountText(value, DECIMALS.accountValue);
  return `{"ethAddress":"${address}","accountValue":"${account}","windowPerformances":[${windows.join(',')}],"prize":0,"displayName":${name}}`;
}
