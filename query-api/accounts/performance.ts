/** The performance of accounts: the series that the log has of them. No request is sent, not even to ingest. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Owner } from '#schemas/domain/control/owner';
import type { ControlState } from '#schemas/domain/control/state';
import { type Decimal, toNumber } from '#schemas/domain/decimal';
import { type ObservedSeries, performanceOf } from '#schemas/domain/returns/performance';
import {
  type CurvePoint,
  READY_MS,
  type SeriesState,
  VENUE_SOURCES,
  WINDOWS,
  type Window,
} from '#schemas/domain/returns/series';
import { pointsOf } from '#schemas/domain/returns/series-record';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { type AccountSeries, seriesKey } from '#schemas/topics/account-series';
import { accountName, PROVIDER_FAMILIES, providerFamily } from '#schemas/venues/accounts';
import type { Dependencies } from '../routes/route.ts';
import type { AccountSeriesView } from '../views/account-series.ts';
import type { SeriesAttemptsView } from '../views/series-attempts.ts';
import type { NamedAccount } from './address-parameters.ts';

/** How often ingest requests the series of a followed account. */
const REFRESH_MS = 3_600_000;

const numberOrNull = (value: Decimal | null) => (value === null ? null : toNumber(value));
const isoOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));
const timeOrNull = (description: string) => isoTimeSchema.nullable().describe(description);

export const windowStatus = z
  .enum(['ready', 'unavailable'])
  .describe('`ready` while every series is at most 70 minutes old.');
export const dataThroughField = timeOrNull(
  'The earliest of the newest points of the series; no series has points after it. Null without a point.',
);
const windowName = z.enum(WINDOWS);
/** One value for each requested window. */
export const byWindow = <T extends z.ZodType>(value: T, meaning = '') => {
  const one = value.optional().describe(`${meaning} Left out unless this window is requested.`.trim());
  return z.object({ '1D': one, '1W': one, '1M': one, ALL: one });
};

export const pointSchema = z.object({
  t: z.number().int().describe('Unix seconds.'),
  navUsdc: z.number().nullable().describe('Value of the account; null where it is not known.'),
  netDepositsUsdc: z.number().nullable().describe('The value less the profit; null where the value is not known.'),
  pnl: z.number().describe('Profit since the first point of each series.'),
});

export const availabilitySchema = z
  .object({
    dataStatus: z.enum(['fresh', 'cached_fresh', 'cached_stale', 'unavailable']).describe('By the age of the series.'),
    reason: z
      .enum(['not_followed', 'not_observed', 'too_old'])
      .nullable()
      .describe('Why there are no points; null for a series that is ready.'),
    observedAt: timeOrNull('When the venue stated the series; null if it did not yet.'),
    lastSuccessAt: timeOrNull('The newest successful request; null without one.'),
    refreshAttemptedAt: timeOrNull(
      'The newest request, whether it succeeded or not; null before the first one, and for an account that the organization did not bind.',
    ),
    nextRetryAt: timeOrNull(
      'When the series is requested again while its newest request failed or has no processed response yet; null otherwise, and for an account that the organization did not bind.',
    ),
    nextRefreshAt: timeOrNull(
      'When the series is requested next; null for an account that the organization did not bind.',
    ),
    source: z.enum(VENUE_SOURCES).nullable().describe('The series of the venue; null if it is not followed.'),
  })
  .describe('How recent the series is.');

export const windowSchema = z.object({
  status: windowStatus,
  quality: z.enum(['authoritative', 'degraded']).describe('`authoritative` while it is ready.'),
  series: z
    .array(
      z.object({
        provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
        address: z.string().describe('The address in lower case.'),
        source: z.literal('performance_projection').describe('The series that the service has of followed accounts.'),
        points: z.array(pointSchema).describe('Oldest first; empty unless this series is ready.'),
        availability: availabilitySchema,
      }),
    )
    .describe('One of each requested provider.'),
  merged: z
    .array(pointSchema)
    .nullable()
    .describe('The sum of all series at every time of any of them; null unless each is ready.'),
});

export const warningsSchema = z
  .array(
    z.object({
      code: z.literal('series_unavailable').describe('What is missing.'),
      provider: z.string().describe('The venue.'),
      window: windowName.describe('The window.'),
      message: z.string().describe('What happened.'),
    }),
  )
  .describe('One for each series without data.');

export const performanceSchema = z.object({
  epoch: z.string().nullable().describe('Changes when any of these series changes; null if none is ready.'),
  dataThrough: dataThroughField,
  windows: byWindow(windowSchema).describe('Only the requested windows.'),
  warnings: warningsSchema,
  asOf: isoTimeSchema.describe('When the response was composed.'),
});

/** Where the series are, and who asks. */
export interface SeriesSource {
  readonly view: AccountSeriesView;
  readonly attempts: SeriesAttemptsView;
  readonly control: ControlState;
  readonly caller: Owner;
  /** Unix ms. */
  readonly now: number;
  /** Until when a series is ready, ms. */
  readonly readyMs: number;
}

export function seriesSource({ control, views }: Pick<Dependencies, 'control' | 'views'>, caller: Owner): SeriesSource {
  // Ages of what a recording or the data set of the sandbox holds do not matter.
  const readyMs = views.freshness.isLive() ? READY_MS : Number.POSITIVE_INFINITY;
  const now = views.events.now ?? Date.now();
  return { view: views.accountSeries, attempts: views.seriesAttempts, control: control.state, caller, now, readyMs };
}

export function readPerformance(
  accounts: readonly NamedAccount[],
  windows: readonly Window[],
  source: SeriesSource,
): z.infer<typeof performanceSchema> {
  const { now, readyMs } = source;
  const records = windows.map((window) => accounts.map((account) => recordOf(source.view, account, window)));
  const performance = performanceOf(
    records.map((series) => series.map(observed)),
    now,
    readyMs,
  );
  const result: z.infer<typeof performanceSchema>['windows'] = {};
  const warnings: z.infer<typeof performanceSchema>['warnings'] = [];
  const epoch = createHash('sha256');
  let isAnyReady = false;
  for (const [at, window] of windows.entries()) {
    const { status, quality, series, merged } = performance.windows[at]!;
    result[window] = {
      status,
      quality,
      merged: merged?.map(toPoint) ?? null,
      series: series.map(({ curve, ...state }, nth) => {
        const { provider, address } = accounts[nth]!;
        const record = records[at]![nth]!;
        const attempt = isBound(source, accounts[nth]!) ? source.attempts.get(keyOf(accounts[nth]!, window)) : null;
        const availability = availabilityOf(record, state, attempt);
        if (availability.reason === null) {
          isAnyReady = true;
          epoch.update(`${window} ${record!.account} ${record!.observedAt}\n`);
        } else
          warnings.push({
            code: 'series_unavailable',
            provider,
            window,
            message: `there is no recent series of ${provider}: ${availability.reason}`,
          });
        return { provider, address, source: 'performance_projection', points: curve.map(toPoint), availability };
      }),
    };
  }
  return {
    epoch: isAnyReady ? epoch.digest('base64url').slice(0, 22) : null,
    dataThrough: secondsOrNull(performance.dataThrough),
    windows: result,
    warnings,
    asOf: isoTime(now),
  };
}

/** The newest figures of the sum of a user's accounts in one window. */
export function readHead(accounts: readonly NamedAccount[], window: Window, { view, now, readyMs }: SeriesSource) {
  const series = accounts.map((account) => observed(recordOf(view, account, window)));
  const { dataThrough, windows } = performanceOf([series], now, readyMs);
  const { status, merged } = windows[0]!;
  const last = merged?.at(-1) ?? null;
  return {
    status,
    dataThrough: secondsOrNull(status === 'ready' ? dataThrough : null),
    navUsdc: last && numberOrNull(last.nav),
    netDepositsUsdc: last && numberOrNull(last.netDeposits),
    pnl: last && toNumber(last.pnl),
  };
}

function recordOf(view: AccountSeriesView, { provider, address }: NamedAccount, window: Window): AccountSeries | null {
  return view.get(keyOf({ provider, address }, window)) ?? null;
}

const keyOf = ({ provider, address }: NamedAccount, window: Window) =>
  seriesKey({ account: accountName(provider, address), window });

function observed(record: AccountSeries | null): ObservedSeries | null {
  return record && { observedAt: record.observedAt, points: pointsOf(record) };
}

/** @param attempt the newest request, undefined if it is not known; null for an account that the organization did not bind. */
function availabilityOf(
  record: AccountSeries | null,
  { status, dataStatus }: SeriesState,
  attempt: ReturnType<SeriesAttemptsView['get']> | null,
) {
  const bound = attempt !== null;
  const observedAt = record?.observedAt ?? null;
  const failed = attempt && attempt.attemptedAt > (observedAt ?? 0) ? attempt : null;
  const refreshAt = failed?.nextAttemptAt ?? (observedAt === null ? null : observedAt + REFRESH_MS);
  const reason = record === null ? 'not_followed' : observedAt === null ? 'not_observed' : 'too_old';
  return {
    dataStatus,
    reason: status === 'ready' ? null : reason,
    observedAt: isoOrNull(observedAt),
    lastSuccessAt: isoOrNull(observedAt),
    refreshAttemptedAt: bound ? isoOrNull(failed?.attemptedAt ?? observedAt) : null,
    nextRetryAt: isoOrNull(failed?.nextAttemptAt ?? null),
    nextRefreshAt: bound ? isoOrNull(refreshAt) : null,
    source: record?.source ?? null,
  } as const;
}

/** True if the organization itself binds the account. */
export function isBound(
  { control, caller }: Pick<SeriesSource, 'control' | 'caller'>,
  { provider, address }: NamedAccount,
): boolean {
  const wallets = control.walletsByAddress.get(address) ?? [];
  return wallets.some(
    (wallet) =>
      wallet.orgId === caller.orgId &&
      wallet.sandbox === caller.sandbox &&
      providerFamily(wallet.provider) === provider,
  );
}

function toPoint({ t, nav, netDeposits, pnl }: CurvePoint) {
  return { t, navUsdc: numberOrNull(nav), netDepositsUsdc: numberOrNull(netDeposits), pnl: toNumber(pnl) };
}

const secondsOrNull = (seconds: number | null) => (seconds === null ? null : isoTime(seconds * 1000));
