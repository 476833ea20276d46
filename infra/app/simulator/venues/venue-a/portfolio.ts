/** What `portfolio` answers about an account (venue page, section 3.2): its value over time, and its profit. */
import { type AccountMode, isUnified } from '#schemas/domain/accounts/venue-a-account';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import type { Accounts } from './accounts.ts';
import { ACCOUNTS_SINCE_MS, UNIT } from './cash.ts';

/** How far back each period reaches, and the time between two of its points. */
const PERIODS = [
  { name: 'Day', lengthMs: DAY_MS, stepMs: 2 * HOUR_MS },
  { name: 'Week', lengthMs: 7 * DAY_MS, stepMs: 6 * HOUR_MS },
  { name: 'Month', lengthMs: 30 * DAY_MS, stepMs: 18 * HOUR_MS },
  { name: 'AllTime', lengthMs: Number.POSITIVE_INFINITY, stepMs: 3 * DAY_MS },
] as const;
/** Points lie so long after a step, when most accounts have a position. */
const AFTER_STEP_MS = HOUR_MS - 10 * MINUTE_MS;
/** Amounts have six decimals. They are summed as integers, so that value less profit changes by deposits only. */
const DECIMALS = 6;

/** Millionths of USD. */
type ValueAt = (atMs: number) => number;
type Accounting = Pick<Accounts, 'usd' | 'userFills' | 'ledger' | 'userAbstraction'>;

/** Null for an invalid address; without points for one that is no account. */
export function portfolio(world: World, accounts: Accounting, user: unknown, atMs: number): object | null {
  const fills = accounts.userFills(user, atMs) as readonly { time: number; px: string; sz: string }[] | null;
  if (fills === null) return null;
  const isKnown = world.population.indexOf(String(user)) !== null;
  const perps: ValueAt = (at) => units(accounts.usd(user, at)!.perps);
  const total: ValueAt = (at) => units(accounts.usd(user, at)!.total);
  // In the unified modes all cash is in the spot balances.
  const perpsHaveCash = !isUnified(accounts.userAbstraction(user) as AccountMode);
  const historyOf = (valueAt: ValueAt, hasCash: boolean, period: (typeof PERIODS)[number]) => {
    const times = isKnown ? timesOf(period, atMs) : [];
    const values = times.map(valueAt);
    const deposits = depositsAt(times, times.length > 0 && hasCash ? accounts.ledger(user, times[0]! + 1, atMs) : []);
    const first = values[0] ?? 0;
    // The newest fills are all that is known of the volume.
    const traded = fills.filter(({ time }) => time >= (times[0] ?? atMs));
    return {
      accountValueHistory: times.map((time, at) => [time, text(values[at]!)]),
      pnlHistory: times.map((time, at) => [time, text(values[at]! - first - deposits[at]!)]),
      vlm: traded.reduce((total, { px, sz }) => total + Number(px) * Number(sz), 0).toFixed(DECIMALS),
    };
  };
  const named = (prefix: string, valueAt: ValueAt, hasCash: boolean) =>
    PERIODS.map((period) => [nameOf(prefix, period.name), historyOf(valueAt, hasCash, period)]);
  return [...named('', total, true), ...named('perp', perps, perpsHaveCash)];
}

/** What was deposited, less what was withdrawn, up to each time. */
function depositsAt(times: readonly number[], ledger: ReturnType<Accounts['ledger']>): number[] {
  let [sum, at] = [0, 0];
  return times.map((time) => {
    for (; at < ledger.length && ledger[at]!.atMs <= time; at += 1) sum += ledger[at]!.units;
    return sum;
  });
}

const nameOf = (prefix: string, name: string) => (prefix ? prefix + name : name[0]!.toLowerCase() + name.slice(1));

/** The times shortly after each step since accounts were opened within the period, and now. */
function timesOf({ lengthMs, stepMs }: (typeof PERIODS)[number], atMs: number): number[] {
  const origin = ACCOUNTS_SINCE_MS + AFTER_STEP_MS;
  const first = Math.ceil(Math.max(0, atMs - lengthMs - origin) / stepMs);
  const times: number[] = [];
  for (let at = origin + first * stepMs; at < atMs; at += stepMs) times.push(at);
  return [...times, atMs];
}

const units = (amount: number): number => Math.round(amount * UNIT);

/** Integers below 2^53 print all their digits. */
function text(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(DECIMALS + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
