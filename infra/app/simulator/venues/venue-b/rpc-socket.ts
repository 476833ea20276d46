import type { HubClient, HubProtocol, SocketHub } from '../../sockets/socket-hub.ts';
import type { Block } from './chain.ts';
import { type LogFilter, passesFilter, readLogFilter } from './log-filter.ts';
import { type Rpc, type RpcMoment, resultText } from './rpc.ts';
import { headText, logText } from './rpc-text.ts';

type Json = Readonly<Record<string, unknown>>;
type SubscriptionRequest = { readonly kind: 'newHeads' } | { readonly kind: 'logs'; readonly filter: LogFilter };

export interface RpcSocket extends HubProtocol {
  /** Publishes removed logs of replaced blocks, then the added blocks in order. */
  publish(removed: readonly Block[], added: readonly Block[]): void;
  subscriptions(): number;
}

/** Creates JSON-RPC over WebSocket: every method of HTTP, `eth_subscribe` and `eth_unsubscribe` (venue page, 9). */
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
    const requests = clients.get(client) ?? new Map<string, SubscriptionRequest>();
    clients.set(client, requests);
    requests.set(id, kind === 'newHeads' ? { kind } : { kind, filter: readLogFilter((filter ?? {}) as Json) });
    return id;
  };

  /** Answers the two methods that exist only on a socket; null for all others. */
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
    subscriptions: () => [...clients.values()].reduce((sum, requests) => sum + requests.size, 0),
    message(client, text) {
      let request: unknown = null;
      try {
        request = JSON.parse(text);
      } catch {
        // `rpc.answer` returns the error for unreadable requests.
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
    publish(removed, added) {
      for (const [client, requests] of clients) {
        for (const [id, request] of requests) {
          if (request.kind === 'newHeads') {
            for (const block of added) notify(client, id, headText(block));
            continue;
          }
          for (const block of removed) publishLogs(client, id, request.filter, block, true);
          for (const block of added) publishLogs(client, id, request.filter, block, false);
        }
      }
    },
  };
}
