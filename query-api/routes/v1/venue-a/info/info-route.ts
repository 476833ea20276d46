/** The routes below `/v1/venue_a/info` differ only in what they read. */
import { z } from 'zod';
import { addressSchema } from '#schemas/domain/control/fields';
import type { ErrorCode } from '#schemas/errors';
import { INFO_LIFETIMES_MS, type InfoRequest, type InfoResult, type InfoType } from '#schemas/requests/venue-a-info';
import { PROVIDER, readInfo } from '../../../../upstream/read-info.ts';
import { type Dependencies, defineRoute, producedAt, type Route } from '../../../route.ts';
import { checkDex } from './check-dex.ts';

const PARAMETERS = {
  user: addressSchema.transform((text) => text.toLowerCase()).describe('The address of an account.'),
  dex: z.string().optional().describe('A builder dex; the main one if it is left out or empty.'),
};

/** Codes of the 404 for a value of a parameter. The sandbox does not know every account. */
const NOT_FOUND_CODES: Readonly<Record<keyof typeof PARAMETERS, ErrorCode>> = {
  user: 'not_found',
  dex: 'unknown_dex',
};

export interface InfoRoute {
  /** Last part of the path. */
  readonly name: string;
  /** What it reads (venue page, section 3). */
  readonly type: InfoType;
  readonly parameters: readonly (keyof typeof PARAMETERS)[];
  readonly summary: string;
  /** Reads it; by default through ingest, as the venue or the node sends it. */
  readonly read?: (dependencies: Dependencies, request: InfoRequest) => Promise<InfoResult>;
}

const readUnchanged: NonNullable<InfoRoute['read']> = ({ ingest }, request) => readInfo(ingest, request);

export function defineInfoRoute({ name, type, parameters, summary, read = readUnchanged }: InfoRoute): Route {
  const shape = Object.fromEntries(parameters.map((parameter) => [parameter, PARAMETERS[parameter]]));
  return defineRoute({
    method: 'GET',
    path: `/v1/venue_a/info/${name}`,
    scope: 'read',
    sku: 'api.request',
    cacheTtlMs: INFO_LIFETIMES_MS[type],
    summary,
    ...(parameters.length > 0 ? { notFoundCodes: parameters.map((parameter) => NOT_FOUND_CODES[parameter]) } : {}),
    params: z.object({}),
    query: z.object(shape),
    response: z.object({
      native: z.unknown().describe("The venue's response."),
      meta: z
        .object({
          provider: z.literal(PROVIDER).describe('The venue.'),
          fetchedAt: z.iso.datetime().describe('When the response was received.'),
          source: z.enum(['official', 'node']).describe("The venue's API, or a node of this service."),
        })
        .describe('Where the response is from.'),
    }),
    async handle({ query }, dependencies) {
      const { user, dex } = query as { readonly user?: string; readonly dex?: string };
      if (dex) await checkDex(dependencies.ingest, dependencies.views.coins, dex);
      const request = { type, ...(user ? { user } : {}), ...(dex ? { dex } : {}) };
      const { native, fetchedAt, source } = await read(dependencies, request);
      const meta = { provider: PROVIDER as typeof PROVIDER, fetchedAt: new Date(fetchedAt).toISOString(), source };
      return producedAt(fetchedAt, { native, meta });
    },
  });
}
