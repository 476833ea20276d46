/** The return of a bound wallet over a window (contract, Money: NAV, curves, returns). */
import { z } from 'zod';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { pause } from '#infra/runtime/pause';
import type { Wallet } from '#schemas/domain/control/state';
import { type Decimal, toNumber } from '#schemas/domain/decimal';
import type { Roi, RoiFigures } from '#schemas/domain/returns/roi';
import { type SeriesPoint, WINDOWS } from '#schemas/domain/returns/series';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { accountFlowsRead } from '#schemas/requests/account-flows';
import { accountName, providerFamily, WALLET_PROVIDERS } from '#schemas/venues/accounts';
import { type ReturnInputs, readReturnInputsOf } from '../queries/read-return-inputs.ts';
import { ledgerOf } from '../queries/select-wallets.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { fetchSeries } from '../upstream/read-series.ts';
import { accountRoi, impliedSeries, knownSeries, type RoiWindow } from './account-roi.ts';
import { currentValue } from './current-value.ts';

const rate = (text: string) =>
  z.number().nullable().describe(`${text}, as a fraction; null where it is not defined or unavailable.`);
const usd = (text: string) => z.number().nullable().describe(`${text}, USD; null while unavailable.`);

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
  mwrPct: rate('Money-weighted return (modified Dietz)'),
  twrPct: rate('Time-weighted return, chain-linked at each flow'),
  simpleRoiPct: rate('Profit divided by the value at the start and what came in since'),
  netPnlUsd: usd('Profit'),
  netDepositsUsd: usd('What came in less what left'),
  startNavUsd: usd('Value at the start'),
  endNavUsd: usd('Value at the end'),
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

/** The requested window, unix ms; `from` null for the first point of all, `to` null for the current value. */
export type RequestedWindow = Pick<RoiWindow, 'from' | 'to'>;

/** What a window that is unavailable has in place of figures. */
const UNAVAILABLE = {
  startAt: null,
  endAt: null,
  mwrPct: null,
  twrPct: null,
  simpleRoiPct: null,
  netPnlUsd: null,
  netDepositsUsd: null,
  startNavUsd: null,
  endNavUsd: null,
  flows: null,
} as const;

type RoiDependencies = Pick<Dependencies, 'views' | 'store' | 'ingest'>;

/** Rejects with an `ApiError` if a series of the venue is needed and cannot be read. */
export async function walletRoi(
  wallet: Wallet,
  { from, to }: RequestedWindow,
  caller: Caller,
  signal: AbortSignal,
  dependencies: RoiDependencies,
): Promise<WalletRoi> {
  const { id: walletId, provider, address } = wallet;
  const roi = await roiOf(wallet, { from, to }, caller, signal, dependencies);
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

async function roiOf(
  wallet: Wallet,
  requested: RequestedWindow,
  caller: Caller,
  signal: AbortSignal,
  dependencies: RoiDependencies,
): Promise<Roi> {
  const { views } = dependencies;
  const family = providerFamily(wallet.provider);
  const account = accountName(family, wallet.address);
  const now = views.events.now ?? Date.now();
  // Nothing is known of the future.
  const to = requested.to === null ? null : Math.min(requested.to, now);
  const current = to === null ? await currentValue(wallet, caller, signal, dependencies) : null;
  const window = { from: requested.from, to, current };
  const through = to ?? current?.ts;
  if (through === undefined) return { reason: 'no_value' };
  const inputs = await inputsThrough(wallet, through, caller, signal, dependencies);
  const known = accountRoi(inputs, knownSeries(views.accountSeries, account), window);
  if (family === 'venue_a' || known.reason !== 'not_anchored' || caller.sandbox) return known;
  return impliedRoi(wallet, inputs, window, caller, signal, dependencies);
}

/** Reads the flows of an account of venue_a if they are not known up to a time: they are loaded hourly. */
async function inputsThrough(
  wallet: Wallet,
  through: number,
  caller: Caller,
  signal: AbortSignal,
  { views, store, ingest }: RoiDependencies,
): Promise<ReturnInputs> {
  const ledger = ledgerOf(views.ledgers, wallet);
  const inputs = await readReturnInputsOf(store, ledger);
  const isKnown = inputs.history.knownThrough >= through;
  if (isKnown || !ledger || caller.sandbox || providerFamily(wallet.provider) !== 'venue_a') return inputs;
  try {
    await ingest.send(accountFlowsRead, { address: wallet.address, through });
  } catch (error) {
    // Then the flows remain unknown, as the response states.
    if (error instanceof RequestError || error instanceof LogError) return inputs;
    throw error;
  }
  return awaitInputs(() => readReturnInputsOf(store, ledger), through, signal);
}

/** The stage and the sink process a response within about a second; this also covers one that is behind. */
const PROCESSED_WITHIN_MS = 5_000;
const POLL_MS = 100;

async function awaitInputs(
  read: () => Promise<ReturnInputs>,
  through: number,
  signal: AbortSignal,
): Promise<ReturnInputs> {
  const until = Date.now() + PROCESSED_WITHIN_MS;
  for (;;) {
    const inputs = await read();
    if (inputs.history.knownThrough >= through || Date.now() >= until) return inputs;
    if (!(await pause(POLL_MS, signal))) return inputs;
  }
}

/** Of venue_b without snapshots at both ends: by the finest series of the venue that anchors the window. */
async function impliedRoi(
  wallet: Wallet,
  inputs: ReturnInputs,
  window: RoiWindow,
  caller: Caller,
  signal: AbortSignal,
  dependencies: RoiDependencies,
): Promise<Roi> {
  const value = window.current ?? (await currentValue(wallet, caller, signal, dependencies));
  if (!value) return { reason: 'not_anchored' };
  const series: SeriesPoint[][] = [];
  // Without a start the oldest point of all counts, so every series is needed.
  for (const name of WINDOWS) {
    const { points } = await fetchSeries(dependencies.ingest, 'venue_b', wallet.address, name);
    series.push(impliedSeries(points, value.nav, inputs));
    const roi = window.from === null ? null : accountRoi(inputs, series, window);
    if (roi && roi.reason !== 'not_anchored') return roi;
  }
  return accountRoi(inputs, series, window);
}

function recordOf(figures: RoiFigures) {
  return {
    startAt: isoTime(figures.startAt),
    endAt: isoTime(figures.endAt),
    mwrPct: numberOrNull(figures.mwr),
    twrPct: numberOrNull(figures.twr),
    simpleRoiPct: numberOrNull(figures.simple),
    netPnlUsd: toNumber(figures.netPnl),
    netDepositsUsd: toNumber(figures.netDeposits),
    startNavUsd: toNumber(figures.startNav),
    endNavUsd: toNumber(figures.endNav),
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
