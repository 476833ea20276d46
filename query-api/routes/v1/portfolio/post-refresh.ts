import { z } from 'zod';
import { accountsOf, addressParameters } from '../../../accounts/address-parameters.ts';
import { hintsSchema, sendHints } from '../../../accounts/refresh-hints.ts';
import { windowsBody } from '../../../accounts/windows-body.ts';
import { defineCallerRoute } from '../../route.ts';

const { user, venueAUser, venueBUser } = addressParameters;

export const postRefresh = defineCallerRoute({
  method: 'POST',
  path: '/v1/portfolio/refresh',
  scope: 'read',
  sku: 'portfolio.read',
  status: 202,
  upstreamStatuses: [429, 502],
  summary: 'Asks for newer series of bound accounts, at most once a minute for each account and window.',
  params: z.object({}),
  query: z.object({}),
  body: z.strictObject({ user: user.unwrap(), venueAUser, venueBUser, windows: windowsBody }),
  response: z.object({ hints: hintsSchema }),
  handle: async ({ body: { windows, ...addresses }, caller }, dependencies) => ({
    hints: await sendHints(accountsOf(addresses), windows, caller, dependencies),
  }),
});
