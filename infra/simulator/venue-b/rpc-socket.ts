import type { HubClient, HubProtocol, SocketHub } from '../sockets/socket-hub.ts';
import type { Block } from './chain.ts';
import { type LogFilter, passesFilter, readLogFilter } from './log-filter.ts';
import { type Rpc, type RpcMoment, resultText } from './rpc.ts';
import { headText, logText } from './rpc-text.ts';

type Json = Readonly<Record<string, unknown>>;
type SubscriptionRequest = { readonly kind: 'newHeads' } | { readonly kind: 'logs'; readonly filter: LogFilter };

export interface RpcSocket extends HubProtocol {
  /** Tells subscribers of blocks that a reorg took away, then of the new ones, in order. */
  publish(gone: readonly Block[], came: readonly Block[]): void;
  subscriptions(): number;
}

/** JSON-RPC over WebSocket: every method of the HTTP side, `eth_subscribe` and `eth_unsubscribe` (venue page, 9). */
export function createRpcSocket(
  rpc: Rpc,
  moment: () => RpcMoment,
  hub: () => SocketHub,
  onError: (error: unknown) => void,
): RpcSocket {
  const clients = new Map<HubClient, Map<string, SubscriptionRequest>>();
  let created = 0;

  const notify = (client: HubClient, subscription: string, result: string) =>
    hub().broadcast(
      [client],
      `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":${result}}}`,
    );

  const subscribe = (client: HubClient, params: readonly unknown[]): string | null => {
    const [kind, filter] = params;
    if (kind !== 'newHeads' && kind !== 'logs') return null;
    created += 1;
    const id = `0x${created.toString(16).padStart(32, '0')}`;
    const wishes = clients.get(client) ?? new Map<string, SubscriptionRequest>();
    clients.set(client, wishes);
    wishes.set(id, kind === 'newHeads' ? { kind } : { kind, filter: readLogFilter((filter ?? {}) as Json) });
    return id;
  };

  /** Answers the two methods that only a socket has; null for everything else. */
  const ownMethod = (client: HubClient, request: Json): string | null => {
    const params = Array.isArray(request.params) ? request.params : [];
    if (request.method === 'eth_subscribe') {
      const id = subscribe(client, params);
      return id && resultText(request.id, `"${id}"`);
    }
    if (request.method === 'eth_unsubscribe') {
      return resultText(request.id, String(clients.get(client)?.delete(String(params[0])) ?? false));
    }
    return null;
  };

  const publishLogs = (client: HubClient, id: string, filter: LogFilter, block: Block, removed: boolean) => {
    for (const log of block.logs) if (passesFilter(filter, log)) notify(client, id, logText(block, log, removed));
  };

  return {
    subscriptions: () => [...clients.values()].reduce((sum, wishes) => sum + wishes.size, 0),
    message(client, text) {
      let request: unknown = null;
      try {
        request = JSON.parse(text);
      } catch {
        // The node answers what it cannot read with an error of its own.
      }
      const own = request !== null && !Array.isArray(request) ? ownMethod(client, request as Json) : null;
      if (own) return client.send(own);
      rpc
        .answer(text, moment())
        .then((answer) => {
          client.send(answer);
          hub().flush();
        })
        .catch(onError);
    },
    closed: (client) => void clients.delete(client),
    publish(gone, came) {
      for (const [client, wishes] of clients) {
        for (const [id, wish] of wishes) {
          if (wish.kind === 'newHeads') {
            for (const block of came) notify(client, id, headText(block));
            continue;
          }
          for (const block of gone) publishLogs(client, id, wish.filter, block, true);
          for (const block of came) publishLogs(client, id, wish.filter, block, false);
        }
      }
    },
  };
}
