/** Which socket watches which market. Pure. */
import { partitionOf } from '#schemas/topics/topic';

export interface Assignable {
  readonly conditionId: string;
  readonly tokens: readonly string[];
}

/**
 * A socket for every market, by condition id. A market stays where it is; a new one goes where its id says, or to the
 * next socket with room. Both tokens of a market share a socket, since they change in one frame.
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
