/** A path of each page of the portal, by its declaration. */
import { PAGES } from '#query-api/portal/pages';
import { eventually, get, type Service } from '../e2e/service.ts';
import { create } from './browser.ts';

type Params = Readonly<Record<string, string>>;

const WALLET = { provider: 'venue_b', address: `0x${'5a'.repeat(20)}`, label: 'Desk' };

/** Values for the parameters of paths. Pages without parameters need none. */
const PARAMS: Readonly<Record<string, (service: Service) => Promise<Params>>> = {
  '/events/:universalId': async (service) => {
    const { events } = await get<{ events: { universalId: string }[] }>(service, '/v1/events?min_providers=2&limit=1');
    return { universalId: events[0]!.universalId };
  },
  '/markets/perp/:coin': async () => ({ coin: 'BTC' }),
  '/markets/spot/:pair': async () => ({ pair: 'HYPE-USDC' }),
  '/markets/dex/:dex/:symbol': async () => ({ dex: 'orb', symbol: 'GOLD' }),
  '/wallets/:id': async (service) => {
    const { wallets } = await get<{ wallets: { id: string; address: string }[] }>(service, '/v1/me/wallets');
    // An address is bound once.
    const bound = wallets.find(({ address }) => address === WALLET.address);
    return { id: bound?.id ?? (await create(service, '/v1/me/wallets', WALLET)).id! };
  },
  '/webhooks/:id': async (service) => ({ id: await createWebhook(service) }),
  '/webhooks/:id/deliveries/:deliveryId': async (service) => {
    const id = await createWebhook(service);
    const { deliveryId } = await create(service, `/v1/webhooks/${id}/test`, {}, 202);
    await eventually(
      () => get<{ deliveries: unknown[] }>(service, `/v1/webhooks/${id}/deliveries`),
      ({ deliveries }) => deliveries.length > 0,
      60_000,
    );
    return { id, deliveryId: deliveryId! };
  },
};

/** Nobody listens at its URL, so that attempts fail at once. */
async function createWebhook(service: Service): Promise<string> {
  const subscriptions = [{ eventType: 'event.arbitrage.detected', version: 1 }];
  return (await create(service, '/v1/webhooks', { url: 'http://127.0.0.1:1024/hook', subscriptions })).id!;
}

/** The declared paths, each with the name of its page. */
export const DECLARED_PAGES = PAGES.map(({ name, path }) => [name, path] as const);

/** A path of a declared page that has something to show. Throws for a path with parameters that have no values here. */
export async function samplePath(service: Service, declared: string): Promise<string> {
  if (!declared.includes(':')) return `/portal${declared}`;
  const values = PARAMS[declared];
  if (values === undefined) throw new Error(`sample-pages.ts has no values for ${declared}`);
  const params = await values(service);
  return `/portal${declared.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))}`;
}
