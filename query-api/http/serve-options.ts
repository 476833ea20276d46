import type { Authenticator } from '#infra/control/authenticator';
import type { ControlReplica } from '#infra/control/control-replica';
import type { RequestClient } from '#infra/requests/request-client';
import type { KeyUses } from '#schemas/domain/quota/key-uses';
import type { Dependencies } from '../routes/route.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { CommandRateLimiter } from './command-rate-limiter.ts';
import type { InFlightKeys } from './commands.ts';
import type { ErrorSender } from './errors.ts';
import type { Meter } from './meter.ts';
import type { ResponseCache } from './response-cache.ts';
import type { Sender } from './send.ts';

/** What every route needs to be served. */
export interface ServeOptions {
  /** What handlers may use, besides what depends on the turn of an organization. */
  readonly dependencies: Omit<Dependencies, 'ingest' | 'turnOf'>;
  readonly requests: Pick<RequestClient, 'send'>;
  /** Market data for sandbox keys, instead of the live data. */
  readonly sandbox: Sandbox;
  readonly authenticator: Authenticator;
  readonly keyUses: Pick<KeyUses, 'mark'>;
  /** Unix ms. */
  readonly wallNow: () => number;
  readonly control: Pick<ControlReplica, 'state' | 'isCurrent' | 'submit'>;
  readonly cache: ResponseCache;
  readonly inFlightKeys: InFlightKeys;
  readonly commandRateLimiter: CommandRateLimiter;
  readonly meter: Meter;
  readonly sender: Sender;
  readonly errors: ErrorSender;
  /** False while the views are still reading what the log held at the start, and are therefore incomplete. */
  readonly isReady: () => boolean;
  readonly responseTimeoutMs?: number;
}
