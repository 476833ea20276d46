/** Hints of a client that it wants the series of its accounts soon (contract, Money: portfolio, positions, batch). */
import { z } from 'zod';
import type { Window } from '#schemas/domain/returns/series';
import { WINDOWS } from '#schemas/domain/returns/series';
import { ApiError } from '#schemas/errors';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { SERIES_REFRESHES, type SeriesHint } from '#schemas/requests/series-refresh';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { apiErrorOf } from '../upstream/api-error-of.ts';
import type { NamedAccount } from './address-parameters.ts';
import { isBound } from './performance.ts';

export const hintsSchema = z
  .array(
    z.object({
      provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
      address: z.string().describe('The address on this venue, in lower case.'),
      window: z.enum(WINDOWS).describe('The window.'),
      accepted: z
        .boolean()
        .describe('False if the organization does not bind the account, or after another hint in the last minute.'),
      nextRefreshAt: isoTimeSchema
        .nullable()
        .describe('From when another hint is accepted; null for an account that the organization does not bind.'),
    }),
  )
  .describe('One for each account and window.');
export type Hints = z.infer<typeof hintsSchema>;

/** Sends the hints of the accounts that the organization binds. Throws 404 `not_found` if it binds none of them. */
export async function sendHints(
  accounts: readonly NamedAccount[],
  windows: readonly Window[],
  caller: Caller,
  { control, ingest }: Pick<Dependencies, 'control' | 'ingest'>,
): Promise<Hints> {
  const bound = accounts.map((account) => isBound({ control: control.state, caller }, account));
  if (!bound.includes(true)) throw new ApiError('not_found', 'no wallet has one of these addresses');
  if (caller.sandbox) throw new ApiError('validation_failed', 'user: is a sandbox wallet, whose series never change');
  const sent = accounts.map((account, at) => (bound[at] ? sendHint(account, windows, ingest) : []));
  const hints = await Promise.all(sent);
  return accounts.flatMap((account, at) =>
    windows.map((window) => {
      const hint = hints[at]!.find((one) => one.window === window);
      const nextRefreshAt = hint ? isoTime(hint.nextHintAt) : null;
      return { ...account, window, accepted: hint?.accepted ?? false, nextRefreshAt };
    }),
  );
}

async function sendHint(
  { provider, address }: NamedAccount,
  windows: readonly Window[],
  ingest: Dependencies['ingest'],
): Promise<readonly SeriesHint[]> {
  try {
    return (await ingest.send(SERIES_REFRESHES[provider], { address, windows: [...windows] })).result.hints;
  } catch (error) {
    throw apiErrorOf(provider, error);
  }
}
