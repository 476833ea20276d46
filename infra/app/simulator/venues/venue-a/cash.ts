/**
 * The cash of an account: what it began with, what its fills earned and cost, and what was deposited and withdrawn. All of
 * it follows from the seed, the number of the account and the time. Amounts are whole millionths of USD, so that sums are
 * exact.
 */
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import { DAY_MS, HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';

/** Accounts are opened at this time; what they earned before is not counted. Start of a month. */
export const ACCOUNTS_SINCE_MS = Date.UTC(2026, 0, 1);
/** Millionths in a USD. */
export const UNIT = 1_000_000;
/** The venue charges this for a withdrawal. */
const WITHDRAWAL_FEE = UNIT;
/** Sums of so many months are retained, of whatever account. */
const MONTHS_RETAINED = 2_000;
/** Every so many days an account receives something; what it is takes turns. */
const DEPOSIT_TYPES = ['deposit', 'internalTransfer', 'send', 'rewardsClaim'] as const;
/** A deposit comes in the first, its withdrawal in the second part of a day. */
const PART_MS = 8 * HOUR_MS;

/** What a fill of an account earned less what it cost. */
export interface Earned {
  readonly atMs: number;
  readonly units: number;
}

/** An entry of the ledger of an account. */
export interface LedgerEntry {
  readonly atMs: number;
  /** What came into the account, negative for what left it. 0 for a move within it. */
  readonly units: number;
  readonly update: { readonly time: number; readonly hash: string; readonly delta: object };
}

export interface Cash {
  /** Cash at a time, in millionths of USD. */
  unitsAt(account: number, atMs: number): number;
  /** The ledger of an account, both times inclusive, oldest first. */
  entries(account: number, fromMs: number, toMs: number): LedgerEntry[];
}

interface Month {
  readonly times: readonly number[];
  /** Sum of what was earned up to each of the times. */
  readonly sums: readonly number[];
}

/**
 * @param earnedIn what the fills of an account earned in a span of time: start inclusive, end exclusive, in order.
 * @param startOf what an account began with, USD.
 */
export function createCash(
  world: World,
  earnedIn: (account: number, fromMs: number, toMs: number) => readonly Earned[],
  startOf: (account: number) => number,
): Cash {
  const { seed } = world.settings;
  const draw = (account: number, day: number, salt: number, below: number) =>
    hashOf(seed, STREAM.account, account * 64 + salt, day) % below;
  const months = new Map<string, Month>();

  const monthOf = (account: number, startMs: number): Month => {
    const key = `${account} ${startMs}`;
    const known = months.get(key);
    if (known) return known;
    const earned = earnedIn(account, startMs, nextMonth(startMs));
    let sum = 0;
    const sums = earned.map(({ units }) => {
      sum += units;
      return sum;
    });
    const month = { times: earned.map(({ atMs }) => atMs), sums };
    months.set(key, month);
    for (const oldest of months.keys()) {
      if (months.size <= MONTHS_RETAINED) break;
      months.delete(oldest);
    }
    return month;
  };
  const earnedUntil = (account: number, atMs: number): number => {
    const start = monthStart(atMs);
    if (start < ACCOUNTS_SINCE_MS) return 0;
    const { times, sums } = monthOf(account, start);
    let at = times.length - 1;
    while (at >= 0 && times[at]! > atMs) at -= 1;
    return at < 0 ? 0 : sums[at]!;
  };

  /** At the start of a month an account withdraws what it earned in the month before, or deposits what it lost. */
  const settled = (account: number, startMs: number): LedgerEntry | null => {
    const before = monthStart(startMs - 1);
    if (before < ACCOUNTS_SINCE_MS) return null;
    const units = -(monthOf(account, before).sums.at(-1) ?? 0);
    return units === 0 ? null : entryOf(account, startMs, units, 0);
  };

  /** What an account receives and withdraws on a day, and what it moves between its own balances. */
  const ofDay = (account: number, day: number): LedgerEntry[] => {
    const received = (100 + draw(account, day, 30, 2_000)) * UNIT;
    const at = (part: number, salt: number) => day * DAY_MS + part * PART_MS + draw(account, day, salt, PART_MS);
    const type = DEPOSIT_TYPES[(account + day) % DEPOSIT_TYPES.length]!;
    return [
      entryOf(account, at(0, 31), received, 1, type),
      entryOf(account, at(1, 32), 0, 2),
      entryOf(account, at(2, 33), -received, 3),
    ];
  };

  const entryOf = (account: number, atMs: number, units: number, salt: number, type: string = 'deposit') => ({
    atMs,
    units,
    update: {
      time: atMs,
      hash: hexOf(seed, STREAM.hex, account * 64 + 40 + salt, Math.floor(atMs / HOUR_MS), 32),
      delta: deltaOf(account, units, type),
    },
  });
  const deltaOf = (account: number, units: number, type: string): object => {
    if (units === 0) return { type: 'accountClassTransfer', usdc: '250.0', toPerp: true };
    if (units < 0) {
      // Less than the fee cannot be withdrawn, so it is the fee of nothing.
      const fee = Math.min(WITHDRAWAL_FEE, -units);
      return { type: 'withdraw', usdc: usdText(-units - fee), nonce: account, fee: usdText(fee) };
    }
    const usdc = usdText(units);
    const { accounts } = world.population;
    const transfer = { user: accounts[(account + 1) % accounts.length]!, destination: accounts[account]! };
    if (type === 'internalTransfer') return { type, usdc, ...transfer, fee: '1.0' };
    if (type === 'rewardsClaim') return { type, token: 'USDC', amount: usdc };
    if (type === 'send') {
      const fees = { fee: '0.0', nativeTokenFee: '0.0', nonce: account, feeToken: '' };
      return {
        type,
        ...transfer,
        sourceDex: 'spot',
        destinationDex: '',
        token: 'USDC',
        amount: usdc,
        usdcValue: usdc,
        ...fees,
      };
    }
    return { type: 'deposit', usdc };
  };

  return {
    unitsAt(account, atMs) {
      const day = Math.floor(atMs / DAY_MS);
      const flows = atMs < ACCOUNTS_SINCE_MS ? [] : ofDay(account, day).filter((entry) => entry.atMs <= atMs);
      const received = flows.reduce((sum, { units }) => sum + units, 0);
      return startOf(account) * UNIT + earnedUntil(account, atMs) + received;
    },
    entries(account, fromMs, toMs) {
      const entries: LedgerEntry[] = [];
      const from = Math.max(fromMs, ACCOUNTS_SINCE_MS);
      for (let day = Math.floor(from / DAY_MS); day * DAY_MS <= toMs; day += 1) {
        const start = day * DAY_MS;
        const atStart = monthStart(start) === start ? settled(account, start) : null;
        entries.push(...(atStart ? [atStart] : []), ...ofDay(account, day));
      }
      return entries.filter(({ atMs }) => atMs >= from && atMs <= toMs);
    },
  };
}

function monthStart(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function nextMonth(startMs: number): number {
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Whole millionths of USD as venue_a writes them; integers below 2^53 print all their digits. */
export function usdText(units: number): string {
  const digits = String(Math.abs(units)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction === '' ? '0' : fraction}`;
}
