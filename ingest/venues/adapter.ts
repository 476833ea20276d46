/** The interface of a venue's adapter, which keeps connections open and publishes what it receives uninterpreted. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { Settings } from '#infra/config/settings';
import type { EventLog } from '#infra/log/log';
import type { Running } from '#infra/runtime/context';
import type { Metrics } from '#infra/telemetry/metrics';
import { UPSTREAMS, type UpstreamSetting } from '#schemas/venues/streams';
import type { Publisher } from '../publisher/publisher.ts';
import type { RequestHandler } from '../requests/request-handler.ts';
import type { SeriesAttempts } from '../series/series-attempts.ts';

export interface AdapterContext {
  readonly settings: Settings;
  readonly publisher: Publisher;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Adds a part that must have data before ingest is ready. The adapter calls the returned function when it has. */
  readonly expect: (part: string) => () => void;
}

/** What an adapter is started with. */
export interface StartContext extends AdapterContext {
  /** Shared, since a topic has one writer. */
  readonly seriesAttempts: SeriesAttempts;
}

export interface RunningAdapter extends Running {
  /** The kinds of requests that it serves; none by default. */
  readonly handlers?: readonly RequestHandler[];
}

export interface VenueAdapter {
  /** Starts in the background. An unreachable venue is retried and never prevents the process from starting. */
  readonly start: (context: StartContext) => Promise<RunningAdapter>;
}

/** Thrown when the URL of an upstream is not configured. Retrying does not help. */
class UpstreamUrlError extends Error {
  override name = 'UpstreamUrlError';
  readonly code = 'url_missing';
  readonly canRetry = false;
}

/**
 * The URL of an upstream: the setting if it is present, else the public URL with `--venues live`. Throws an
 * `UpstreamUrlError` that names the variable otherwise.
 */
export function upstreamUrl<S extends UpstreamSetting>(settings: Pick<Settings, S | 'venues'>, setting: S): string {
  const { publicUrl, variable } = UPSTREAMS[setting];
  const configured: string | null = settings[setting];
  if (configured !== null) return configured;
  if (settings.venues === 'live') return publicUrl;
  throw new UpstreamUrlError(`${variable} is not set; --venues ${settings.venues} has no default for it`);
}

/** Appends `path` to `base`, which may end in a slash. */
export function joinUrl(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`;
}
