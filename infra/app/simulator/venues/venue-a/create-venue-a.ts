import { parseJsonOrNull } from '#schemas/domain/json-fields';
import type { HostRequest } from '../../sockets/http-host.ts';
import { createSocketHub, type SocketHub } from '../../sockets/socket-hub.ts';
import type { SimulatedVenue, VenueContext } from '../simulated-venue.ts';
import { createAccounts } from './accounts.ts';
import { createExchange } from './exchange/exchange.ts';
import { createVenueAFeed } from './feed.ts';
import { createInfo } from './info.ts';
import { createVenueLimits } from './limits.ts';
import { createMarkets } from './market.ts';
import { createNode, type SimulatedNode } from './node.ts';
import { createVenueASocket } from './socket-protocol.ts';
import { answerStats } from './stats.ts';

/** The venue closes a connection to which it sent nothing for a minute (venue page, section 7). */
const IDLE_MS = 60_000;
const TOO_MANY = { status: 429, text: 'null' };

/** Path of the self-hosted node on the simulator's server. */
export const NODE_PATH = '/venue_a.node';
/** Bars that end so long before the start, or later, are exact: a service that was restarted may have recorded their trades. */
const EXACT_BEFORE_MS = 30 * 60_000;

export function createVenueA(context: VenueContext): SimulatedVenue & { readonly node: SimulatedNode } {
  const { world, board, paths, now, nodeData, minuteMs, observer, onError } = context;
  const markets = createMarkets(world);
  const limits = createVenueLimits(minuteMs);
  const info = createInfo(world, markets, now() - EXACT_BEFORE_MS);
  const accounts = createAccounts(world);
  const protocol = createVenueASocket(world, markets, info, now, () => hub, { limits, accounts });
  const hub: SocketHub = createSocketHub('venue_a.ws', board, () => protocol, { idleLimitMs: IDLE_MS, observer });
  const exchange = createExchange({ seed: world.settings.seed, now });
  const answerInfo = async ({ method, path, body }: HostRequest) => {
    // An unreadable body is answered like null.
    const request = method === 'POST' && path === '/info' ? parseJsonOrNull(body) : null;
    const type = String((request as { type?: unknown } | null)?.type);
    if (!limits.acceptRequest(type)) return TOO_MANY;
    const answer = await info(request, now());
    if (answer.status === 200) limits.addRows(type, answer.text);
    return answer;
  };
  const node = createNode({ world, info, now, folder: nodeData, onError });
  return {
    node,
    feeds: [createVenueAFeed(world, markets, accounts, protocol.publisher), node.feed],
    hosts: [
      { prefix: NODE_PATH, target: 'venue_a.node', answer: node.answer },
      { prefix: paths.externalExchangeUrl, target: 'venue_a.klines', answer: exchange.answer },
      {
        prefix: paths.venueAStatsUrl,
        target: 'venue_a.stats',
        answer: (request) => answerStats(world, accounts, request, now()),
      },
      { prefix: paths.venueAApiUrl, target: 'venue_a.info', answer: answerInfo },
    ],
    sockets: [{ path: paths.venueAWsUrl, target: 'venue_a.ws', hub, subscriptions: () => protocol.subscriptions() }],
    close: node.close,
    limitsExceeded: () => ({ ...limits.exceeded, 'venue_a.klines': exchange.limitExceeded() }),
  };
}
