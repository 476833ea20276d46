/** The raw channels of all providers. */
import type { Venue } from '../domain/providers.ts';
import { DECLARATIONS } from './index.ts';
import type { RawChannels, VenueDeclaration } from './venue.ts';

type DeclaredProvider = (typeof DECLARATIONS)[number]['providers'][number];
/** A provider with raw channels. */
export type RawProvider = Extract<DeclaredProvider, { readonly rawChannels: unknown }>['provider'];

/** Raw channels as they are declared, with what follows from their venue. */
export interface RawChannelsOfProvider extends RawChannels {
  readonly provider: RawProvider;
  /** The venue whose normaliser writes them; null while nothing does. */
  readonly writer: Venue | null;
}

export const RAW_CHANNELS: readonly RawChannelsOfProvider[] = (DECLARATIONS as readonly VenueDeclaration[]).flatMap(
  ({ venue, providers, streams }) =>
    providers.flatMap(({ provider, rawChannels = [] }) =>
      rawChannels.map((declared) => ({
        ...declared,
        provider: provider as RawProvider,
        writer: streams ? (venue as Venue) : null,
      })),
    ),
);
