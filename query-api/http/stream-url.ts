/** The URL of the stream for a client, by what it requested. */
import type { FastifyRequest } from 'fastify';

/** How the portal's browser reaches `/v1/stream` (contract, Portal: Session over WebSocket). */
export interface StreamLocation {
  /** PARALLAX_STREAM_URL: a URL, a path on the host and port of the request, or null. */
  readonly url: string | null;
  /** The gateway's port; 0 if the system selects it. */
  readonly port: number;
}

/** What of a request decides the default. */
export interface RequestedAddress {
  /** The `Host` header. */
  readonly host: string;
  /** True if the client used TLS. */
  readonly isSecure: boolean;
}

/** The URL of the stream for the client of a request; null if neither a setting nor the port and the host are known. */
export function streamUrlFor(location: StreamLocation, { host, isSecure }: RequestedAddress): string | null {
  const { url, port } = location;
  if (url !== null && !url.startsWith('/')) return url;
  const requested = `http://${host}`;
  if (host === '' || !URL.canParse(requested)) return null;
  // The parsed host, so that a malformed header cannot add a path or credentials.
  const parsed = new URL(requested);
  const scheme = isSecure ? 'wss' : 'ws';
  if (url !== null) return `${scheme}://${parsed.host}${url}`;
  return port === 0 ? null : `${scheme}://${parsed.hostname}:${port}/v1/stream`;
}

/** The address that a client requested. The forwarded protocol affects what this caller is answered, and nothing else, so it is accepted from anyone. */
export function requestedAddress({ headers, protocol }: FastifyRequest): RequestedAddress {
  const [forwarded] = String(headers['x-forwarded-proto'] ?? protocol).split(',', 1);
  return { host: headers.host ?? '', isSecure: forwarded!.trim().toLowerCase() === 'https' };
}
