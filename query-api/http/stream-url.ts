/**
 * The URL of the WebSocket gateway for a client that requested a host: the configured one, else the same host with the
 * port of the gateway.
 */
export function streamUrlOf(host: string, wsPort: number): string {
  return `ws://${host.replace(/:\d+$/, '')}:${wsPort}/v1/stream`;
}
