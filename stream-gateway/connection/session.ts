/** Portal sessions over WebSocket (contract, Portal). */
import type { ControlReplica } from '#infra/control/control-replica';
import { findSession } from '#infra/control/find-session';
import { isCsrfOf } from '#infra/control/session-cookie';
import { type ActiveSession, activeSession } from '#schemas/domain/control/lookups';
import type { ControlState } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { CLOSE } from '#schemas/stream/frames';
import type { Connection } from './connection.ts';

/** Prefix of the subprotocol that carries the CSRF value: a page of another site cannot know it. */
export const CSRF_PROTOCOL = 'csrf.';

/** The headers of an upgrade that decide about its session. */
export interface SessionRequest {
  readonly cookie: string;
  /** Empty without the header. */
  readonly origin: string;
  readonly host: string;
  /** The offered subprotocol `csrf.<value>`; undefined without one. */
  readonly csrfProtocol: string | undefined;
}

export interface SessionSources {
  readonly control: Pick<ControlReplica, 'state' | 'isCurrent'>;
  /** PARALLAX_STREAM_URL: its host counts as the host of the request, also behind a proxy that changes `Host`. */
  readonly streamUrl: string | null;
}

/**
 * The session of an upgrade without a token; null if it has no session cookie. Throws 401 for a session that has ended,
 * a page of another host, and a missing or wrong CSRF value; 503 while sessions cannot be checked.
 */
export function authenticateSession(sources: SessionSources, request: SessionRequest): ActiveSession | null {
  const found = findSession(sources.control, request.cookie);
  if (!found) return null;
  const { csrfProtocol } = request;
  if (!isOwnOrigin(sources.streamUrl, request) || !isCsrfOf(found.cookie, csrfProtocol?.slice(CSRF_PROTOCOL.length)))
    throw new ApiError(
      'unauthenticated',
      'a session needs the subprotocol csrf.<value> with the csrf value of GET /v1/session, from a page of its host',
    );
  return found;
}

/**
 * Closes the socket of a session that has ended. The keys of tokens and of sessions are checked when they are revoked;
 * a session can also expire, so that its sockets are checked regularly.
 */
export function checkSession(connection: Connection, state: ControlState, nowMs: number): void {
  const { session } = connection.principal;
  if (session !== null && !activeSession(state, session, nowMs)) connection.end(CLOSE.sessionEnded);
}

/**
 * True if the page is of the host that is requested, on any port: the cookie belongs to a host, and REST and the stream
 * have ports of their own. Clients that are no browsers send no `Origin`.
 */
function isOwnOrigin(streamUrl: string | null, { origin, host }: SessionRequest): boolean {
  if (origin === '') return true;
  const page = hostNameOf(origin);
  return (
    page !== null && (page === hostNameOf(`http://${host}`) || (streamUrl !== null && page === hostNameOf(streamUrl)))
  );
}

function hostNameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname || null : null;
}
