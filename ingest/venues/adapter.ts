/** The one shape of a venue's adapter. It keeps connections alive and publishes what comes; it interprets nothing. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { Settings } from '#infra/config/settings';
import type { Running } from '#infra/context';
import type { EventLog } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import type { Publisher } from '../publisher/publisher.ts';

export interface AdapterContext {
  readonly settings: Settings;
  readonly publisher: Publisher;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Names something that must have arrived before ingest is ready; call the answer when it has. */
  readonly expect: (part: string) => () => void;
}

export interface VenueAdapter {
  readonly venue: Venue;
  /** Starts in the background: a venue that cannot be reached is waited for, it never keeps the process from starting. */
  readonly start: (context: AdapterContext) => Promise<Running>;
}

/** Why ingest cannot start: an address is missing. Retrying does not help. */
export class AddressError extends Error {
  override name = 'AddressError';
  readonly code = 'address_missing';
  readonly canRetry = false;
}

/**
 * The address of an upstream: the setting where it is given, whatever `--venues` says; with `--venues live` the public
 * one. Throws an `AddressError` that names the variable otherwise.
 */
export function addressOf(given: string | null, live: string, venues: string, variable: string): string {
  if (given !== null) return given;
  if (venues === 'live') return live;
  throw new AddressError(`${variable} is not given, and --venues ${venues} does not say it`);
}

/** `path` below `base`, whether or not that ends in a slash. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`;
}
