/** The raw channels of all providers. */
import type { Venue } from '../domain/providers.ts';
import { DECLARATIONS, type Declaration } from './index.ts';
import type { RawChannels } from './venue.ts';

/** A provider with raw channels. */
export type RawProvider = Extract<Declaration['providers'][number], { readonly rawChannels: unknown }>['provider'];

/** Raw channels as they are declared, with what follows from their venue. */
export interface RawChannelsOfProvider extends RawChannels {
  readonly provider: RawProvider;
  /** The venue whose normaliser writes them; null while nothing does. */
  readonly writer: Venue | null;
}

export const RAW_CHANNELS: readonly RawChannelsOfProvider[] = DECLARATIONS.flatMap(({ venue, providers }) =>
  providers.flatMap(({ provider, capabilities, rawChannels = [] }) =>
    rawChannels.map((declared) => ({
      ...declared,
      provider: provider as RawProvider,
      writer: capabilities.includes('stream.raw') ? (venue as Venue) : null,
    })),
  ),
);
