/** Assigns markets to sockets. Pure. */
import { partitionOf } from '#schemas/topics/topic';

export interface Assignable {
  readonly conditionId: string;
  readonly tokens: readonly string[];
}

/**
 * Returns the socket of each market, by condition id. An assigned market stays on its socket; a new one gets the socket of
 * its id's hash, or the next one with room. Both tokens of a market share a socket, since they change in one frame.
 */
export function assignSockets(
  markets: readonly Assignable[],
  before: ReadonlyMap<string, number>,
  limits: { readonly sockets: number; readonly tokensPerSocket: number },
): Map<string, number> {
  const { sockets, tokensPerSocket } = limits;
  const assigned = new Map<string, number>();
  const load = new Array<number>(sockets).fill(0);
  const place = (market: Assignable, socket: number) => {
    assigned.set(market.conditionId, socket);
    load[socket] = load[socket]! + market.tokens.length;
  };
  for (const market of markets) {
    const socket = before.get(market.conditionId);
    if (socket !== undefined) place(market, socket);
  }
  for (const market of markets) {
    if (assigned.has(market.conditionId)) continue;
    const first = partitionOf(market.conditionId, sockets);
    for (let tried = 0; tried < sockets; tried += 1) {
      const socket = (first + tried) % sockets;
      if (load[socket]! + market.tokens.length > tokensPerSocket) continue;
      place(market, socket);
      break;
    }
  }
  return assigned;
}
