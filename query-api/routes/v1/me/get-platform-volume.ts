import { z } from 'zod';
import { ownerName } from '#schemas/domain/control/owner';
import { attributionRows } from '#schemas/domain/control/rows';
import { toNumber } from '#schemas/domain/decimal';
import { sumKnown } from '#schemas/domain/sum-known';
import { ApiError } from '#schemas/errors';
import { timeParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES, type ProviderFamily, providerFamily } from '#schemas/venues/accounts';
import { arrivedUntil } from '../../../platform-volume/arrived-until.ts';
import {
  NO_VOLUME,
  type PlatformVolume,
  readArrivedDays,
  readVenueAVolume,
  readVenueBVolume,
  type VolumeWindow,
} from '../../../queries/read-platform-volume.ts';
import { tradesThrough } from '../../../views/followed-through.ts';
import type { Views } from '../../../views/views.ts';
import { CustomResponse, defineCallerRoute } from '../../route.ts';

const figures = {
  volumeUsd: z.number().describe('Price times quantity of the fills.'),
  tradeCount: z.number().int().describe('Fills.'),
};
const CACHE = ['cache-control', 'private, max-age=15, stale-while-revalidate=30'];

interface VenueVolume extends PlatformVolume {
  /** Unix ms; null if nothing is complete. */
  readonly dataThrough: number | null;
}

export const getPlatformVolume = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/platform-volume',
  scope: 'read',
  sku: 'pnl.read',
  servesMarketData: true,
  summary: 'What was traded under the registered builders, by anyone.',
  params: z.object({}),
  query: z.object({
    from: timeParameter.describe('unix ms or ISO-8601 of the venue, inclusive; all time by default').optional(),
    to: timeParameter.describe('unix ms or ISO-8601 of the venue, exclusive; now by default').optional(),
  }),
  response: z.object({
    window: z
      .object({
        from: isoTimeSchema.nullable().describe('Start, inclusive; null for all time.'),
        to: isoTimeSchema.describe('End, exclusive.'),
      })
      .describe('The period.'),
    total: z
      .object({
        ...figures,
        builderFeeUsd: z.number().nullable().describe('Of venue_a; null without a row of it.'),
      })
      .describe('Of all rows.'),
    byVenue: z
      .array(
        z.object({
          venue: z.enum(PROVIDER_FAMILIES as [string, ...string[]]).describe('The venue.'),
          ...figures,
          builderFeeUsd: z.number().nullable().describe('What the builders received; null for venue_b.'),
          walletCount: z.number().int().describe('Wallets of the organization with such a fill.'),
          dataThrough: isoTimeSchema
            .nullable()
            .describe(
              'Until when the figures are complete: on venue_a the end of the last day up to which the file of every builder has arrived, on venue_b the newest block that is followed; null before the first.',
            ),
        }),
      )
      .describe('A row for each venue of which a wallet is bound.'),
  }),
  async handle({ query, caller }, { control, store, views }) {
    const { from = null, to = Date.now() } = query;
    if (from !== null && from > to) throw new ApiError('validation_failed', 'from: must not be after to');
    const attributions = attributionRows(control.state, caller);
    if (attributions.length === 0) throw new ApiError('no_platform_attribution', 'no builder is registered');
    const wallets = [...(control.state.walletsByOwner.get(ownerName(caller))?.values() ?? [])];
    const window = { from, to };
    const rows = await Promise.all(
      PROVIDER_FAMILIES.map(async (venue) => {
        const own = wallets.filter(({ provider }) => providerFamily(provider) === venue);
        if (own.length === 0) return [];
        const builders = attributions
          .filter(({ provider }) => provider === venue)
          .map(({ builder, createdAt }) => ({ builder, registeredAt: Date.parse(createdAt) }));
        const addresses = [...new Set(own.map(({ address }) => address))];
        const read = await READERS[venue]({ store, views, builders, window, addresses });
        return [{ venue, ...read, walletCount: own.filter(({ address }) => read.users.has(address)).length }];
      }),
    );
    const venues = rows.flat();
    const fees = venues.filter(({ builderFeeUsd }) => builderFeeUsd !== null).map(({ builderFeeUsd }) => builderFeeUsd);
    const body = {
      window: { from: from === null ? null : isoTime(from), to: isoTime(to) },
      total: {
        volumeUsd: toNumber(sumKnown(venues.map(({ volumeUsd }) => volumeUsd))!),
        tradeCount: venues.reduce((sum, { tradeCount }) => sum + tradeCount, 0),
        builderFeeUsd: fees.length === 0 ? null : toNumber(sumKnown(fees)!),
      },
      byVenue: venues.map(({ venue, volumeUsd, tradeCount, builderFeeUsd, walletCount, dataThrough }) => ({
        venue,
        volumeUsd: toNumber(volumeUsd),
        tradeCount,
        builderFeeUsd: builderFeeUsd === null ? null : toNumber(builderFeeUsd),
        walletCount,
        dataThrough: dataThrough === null ? null : isoTime(dataThrough),
      })),
    };
    return new CustomResponse(200, body, CACHE);
  },
});

interface VolumeRequest {
  readonly store: Parameters<typeof readArrivedDays>[0];
  readonly views: Pick<Views, 'freshness'>;
  readonly builders: readonly { readonly builder: string; readonly registeredAt: number }[];
  readonly window: VolumeWindow;
  /** Of the organization's wallets of the venue. */
  readonly addresses: readonly string[];
}

const READERS: Readonly<Record<ProviderFamily, (request: VolumeRequest) => Promise<VenueVolume>>> = {
  venue_a: async ({ store, builders, window, addresses }) => {
    const none = { ...NO_VOLUME, builderFeeUsd: NO_VOLUME.volumeUsd, dataThrough: null };
    if (builders.length === 0) return none;
    // The days first: a day names the file of its rows, which are stored before it.
    const days = await readArrivedDays(
      store,
      builders.map(({ builder }) => builder),
    );
    if (days.length === 0) return none;
    const volume = await readVenueAVolume(store, days, window, addresses);
    return { ...volume, dataThrough: arrivedUntil(builders, days) };
  },
  venue_b: async ({ store, views, builders, window, addresses }) => {
    const names = builders.map(({ builder }) => builder);
    // The block first, so that the sums contain it.
    const dataThrough = await tradesThrough(views.freshness);
    if (names.length === 0) return { ...NO_VOLUME, builderFeeUsd: null, dataThrough };
    return { ...(await readVenueBVolume(store, names, window, addresses)), dataThrough };
  },
};
