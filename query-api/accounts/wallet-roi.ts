/** The return of a bound wallet over a window (contract, Money: NAV, curves, returns). */
import { z } from 'zod';
import type { Wallet } from '#schemas/domain/control/state';
import { type Decimal, toNumber } from '#schemas/domain/decimal';
import type { RoiFigures } from '#schemas/domain/returns/roi';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { WALLET_PROVIDERS } from '#schemas/venues/accounts';
import type { Caller } from '../routes/route.ts';
import type { RoiWindow } from './account-roi.ts';
import { currentValue } from './current-value.ts';
import { BLOCKS_WAIT_MS, type RoiDependencies, readRoi } from './read-roi.ts';

const rate = (text: string) =>
  z.number().nullable().describe(`${text}, as a fraction; null where it is not defined or unavailable.`);
const usd = (text: string) => z.number().nullable().describe(`${text}, USD; null while unavailable.`);

/** The figures of a return, as every route that has them names them. */
export const roiFields = {
  mwrPct: rate('Money-weighted return (modified Dietz)'),
  twrPct: rate('Time-weighted return, chain-linked at each flow'),
  simpleRoiPct: rate('Profit divided by the value at the start and what came in since'),
  netPnlUsd: usd('Profit'),
  netDepositsUsd: usd('What came in less what left'),
  startNavUsd: usd('Value at the start'),
  endNavUsd: usd('Value at the end'),
};

/** What they are while the return is unavailable. */
export const NO_ROI_NUMBERS = {
  mwrPct: null,
  twrPct: null,
  simpleRoiPct: null,
  netPnlUsd: null,
  netDepositsUsd: null,
  startNavUsd: null,
  endNavUsd: null,
} as const;

export const walletRoiSchema = z.object({
  walletId: z.string().describe('The bound wallet.'),
  provider: z.enum(WALLET_PROVIDERS).describe('The provider of the binding. The return is that of the whole account.'),
  address: z.string().describe('The address in lower case.'),
  window: z
    .object({
      from: isoTimeSchema.nullable().describe('As requested; null for the first point of all.'),
      to: isoTimeSchema.nullable().describe('As requested; null for the current value.'),
    })
    .describe('The window.'),
  status: z.enum(['ready', 'unavailable']).describe('`unavailable`: every figure is null, and `reason` says why.'),
  reason: z
    .enum(['not_anchored', 'flows_unknown', 'flow_unpriced', 'no_value'])
    .nullable()
    .describe(
      '`not_anchored`: no value is known within 3 hours before the start or the end; `no_value`: no current value; `flows_unknown` and `flow_unpriced`: not all that came in or left is known. Null if it is ready.',
    ),
  startAt: isoTimeSchema.nullable().describe('Time of the value at the start; null while unavailable.'),
  endAt: isoTimeSchema.nullable().describe('Time of the value at the end; null while unavailable.'),
  ...roiFields,
  flows: z
    .array(
      z.object({
        ts: isoTimeSchema.describe('When it happened.'),
        usd: z.number().describe('USD, positive when it came in.'),
        kind: z.string().describe("The venue's own word; `deposit` or `withdraw` on chain."),
        txHash: z.string().nullable().describe('Hash of the transaction; null without one.'),
      }),
    )
    .nullable()
    .describe('What came in or left in the window, oldest first; null while unavailable.'),
});
export type WalletRoi = z.infer<typeof walletRoiSchema>;

/** What a window that is unavailable has in place of figures. */
const UNAVAILABLE = { startAt: null, endAt: null, ...NO_ROI_NUMBERS, flows: null } as const;

/** Rejects with an `ApiError` if a series of the venue is needed and cannot be read. */
export async function walletRoi(
  wallet: Wallet,
  { from, to }: Pick<RoiWindow, 'from' | 'to'>,
  caller: Caller,
  signal: AbortSignal,
  dependencies: RoiDependencies,
): Promise<WalletRoi> {
  const { id: walletId, provider, address } = wallet;
  const current = to === null ? await currentValue(wallet, caller, signal, dependencies) : null;
  const blocksUntil = Date.now() + BLOCKS_WAIT_MS;
  const roi = await readRoi({ wallet, from, to, current, caller, signal, blocksUntil }, dependencies);
  return {
    walletId,
    provider,
    address,
    window: { from: isoTimeOrNull(from), to: isoTimeOrNull(to) },
    status: roi.reason === null ? 'ready' : 'unavailable',
    reason: roi.reason,
    ...(roi.reason === null ? recordOf(roi.figures) : UNAVAILABLE),
  };
}

/** The figures of a return as a response has them. */
export function roiNumbers(figures: Omit<RoiFigures, 'flows'>) {
  return {
    mwrPct: numberOrNull(figures.mwr),
    twrPct: numberOrNull(figures.twr),
    simpleRoiPct: numberOrNull(figures.simple),
    netPnlUsd: toNumber(figures.netPnl),
    netDepositsUsd: toNumber(figures.netDeposits),
    startNavUsd: toNumber(figures.startNav),
    endNavUsd: toNumber(figures.endNav),
  };
}

function recordOf(figures: RoiFigures) {
  return {
    startAt: isoTime(figures.startAt),
    endAt: isoTime(figures.endAt),
    ...roiNumbers(figures),
    flows: figures.flows.map(({ ts, usd: amount, kind, txHash }) => ({
      ts: isoTime(ts),
      usd: toNumber(amount),
      kind,
      txHash,
    })),
  };
}

const numberOrNull = (value: Decimal | null): number | null => (value === null ? null : toNumber(value));
const isoTimeOrNull = (time: number | null): string | null => (time === null ? null : isoTime(time));
