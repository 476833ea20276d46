/**
 * `GET /truth` lists the accounts of the simulated world, and `GET /truth/<address>?at=<unix ms>&from=<unix ms>` states the
 * truth about one, for comparison with the service. Without `from` it is a short one, and each part states its window.
 */
import type { Host } from '../sockets/http-host.ts';
import { runInTurns } from '../turns.ts';
import { createAccounts } from '../venues/venue-a/accounts.ts';
import { BLOCK_MS } from '../venues/venue-b/blocks.ts';
import { ORIGIN_MS } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { venueATruth } from './venue-a-truth.ts';
import { type VenueBSource, venueBTruth } from './venue-b-truth.ts';

/** @param now the time up to which the world is simulated, unix ms: the default of `at`, and its latest value. */
export function truthHost(world: World, venueB: VenueBSource, now: () => number): Host {
  const accounts = createAccounts(world);
  return {
    prefix: '/truth',
    target: null,
    async answer({ path, query }) {
      const address = path.slice(1).toLowerCase();
      if (address === '') return { status: 200, text: JSON.stringify({ accounts: world.population.accounts }) };
      const at = Number(query.get('at') ?? now());
      if (!Number.isInteger(at) || at < 0 || at > now())
        return { status: 400, text: '{"error":"at must be unix milliseconds that have been simulated"}' };
      const from = query.has('from') ? Number(query.get('from')) : null;
      if (from !== null && (!Number.isInteger(from) || from < 0 || from > at))
        return { status: 400, text: '{"error":"from must be unix milliseconds, and not after at"}' };
      const venueA = venueATruth(world, accounts, address, at, from);
      const head = Math.floor((at - ORIGIN_MS) / BLOCK_MS);
      const first = from === null ? null : Math.ceil((from - ORIGIN_MS) / BLOCK_MS);
      const truthB = await runInTurns(venueBTruth(world, venueB, address, head, first));
      if (!venueA) return { status: 404, text: '{"error":"no account of this world has this address"}' };
      return { status: 200, text: JSON.stringify({ address, at, from, venue_a: venueA, venue_b: truthB }) };
    },
  };
}
