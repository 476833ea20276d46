import { z } from 'zod';
import { WINDOWS, type Window } from '#schemas/domain/returns/series';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import {
  byWindow,
  dataThroughField,
  readHead,
  seriesSource,
  windowStatus,
} from '../../../../../accounts/performance.ts';
import { isUnique, usersSchema } from '../../../../../accounts/users-body.ts';
import { defineCallerRoute } from '../../../../route.ts';

const windowName = z.enum(WINDOWS);

const body = z.strictObject({
  users: usersSchema.describe('Addresses, each on every venue.'),
  windows: z
    .array(windowName)
    .min(1)
    .refine(isUnique, 'must not contain a window twice')
    .default([...WINDOWS])
    .describe('All by default.'),
});

const figure = (description: string) => z.number().nullable().describe(description);

export const postHeadsBatch = defineCallerRoute({
  method: 'POST',
  path: '/v1/portfolio/performance/heads/batch',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  summary:
    'The newest figures of the performance of several users, each over all venues; no request is sent to a venue.',
  params: z.object({}),
  query: z.object({}),
  body,
  response: z.object({
    heads: z
      .array(
        z.object({
          user: z.string().describe('The address in lower case.'),
          windows: byWindow(
            z.object({
              status: windowStatus,
              dataThrough: dataThroughField,
              navUsdc: figure('Value; null where one of the accounts has none.'),
              netDepositsUsdc: figure('The value less the profit; null where the value is not known.'),
              pnl: figure('Profit since the first point of each series; null unless the window is ready.'),
            }),
          ).describe('Only the requested windows.'),
        }),
      )
      .describe('In the order of the request.'),
    fetchedAt: isoTimeSchema.describe('When the response was composed.'),
  }),
  handle: ({ body: { users, windows }, caller }, dependencies) => {
    const source = seriesSource(dependencies, caller);
    const headsOf = (user: string) => {
      const accounts = PROVIDER_FAMILIES.map((provider) => ({ provider, address: user }));
      return Object.fromEntries(windows.map((window) => [window, readHead(accounts, window, source)])) as Partial<
        Record<Window, ReturnType<typeof readHead>>
      >;
    };
    return { heads: users.map((user) => ({ user, windows: headsOf(user) })), fetchedAt: isoTime(source.now) };
  },
});
