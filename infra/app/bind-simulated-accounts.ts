/** Binds every account of a simulated world on venue_b, and some on venue_a with a registered builder, before its first record. */
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { createPlatformAttribution } from '#schemas/domain/control/commands/create-platform-attribution';
import { seedAdminKey } from '#schemas/domain/control/commands/seed-admin-key';
import { changeTopic } from '#schemas/topics/control';
import { partitionOf } from '#schemas/topics/topic';
import type { RoleContext } from '../runtime/context.ts';
import { builderAddresses } from './simulator/venues/venue-a/accounts.ts';
import { createPopulation } from './simulator/world/accounts.ts';

const ORGANIZATION = { id: 'org_simulated', name: 'Simulated', plan: 'enterprise' } as const;
const ACTOR = { orgId: ORGANIZATION.id, keyId: 'simulated', userId: 'admin', sandbox: false };
const ATTRIBUTION_ID = '00000000-0000-4000-8000-00000000000a';
/** Of a key that nobody can use. */
const NO_SECRET = { algorithm: 'scrypt', N: 16, r: 1, p: 1, salt: '', hash: '' } as const;

/**
 * Writes the bindings into an empty log, as ingest does with commands. Ingest must not have started.
 *
 * @param receivedAt event time of the bindings, before that of every other record.
 * @param onVenueA so many accounts are bound on venue_a too; if there are any, a builder of their fills is registered.
 */
export async function bindSimulatedAccounts(
  { log, codec }: Pick<RoleContext, 'log' | 'codec'>,
  seed: number,
  receivedAt: number,
  onVenueA: number,
): Promise<void> {
  await log.createTopics([changeTopic]);
  await codec.prepare([changeTopic]);
  const population = createPopulation(seed);
  const { accounts } = population;
  const binding = (walletId: string, provider: string, address: string): [string, object] => [
    bindWallet.type,
    { actor: ACTOR, walletId, provider, address, label: '' },
  ];
  const [builder] = builderAddresses({ population });
  const attribution = { actor: ACTOR, attributionId: ATTRIBUTION_ID, provider: 'venue_a', builder, label: '' };
  const commands: [type: string, body: object][] = [
    [seedAdminKey.type, { keyId: ACTOR.keyId, secret: NO_SECRET, organization: ORGANIZATION, minted: true }],
    ...accounts.map((address, nth) => binding(`wal_${nth}`, 'venue_b', address)),
    ...accounts.slice(0, onVenueA).map((address, nth) => binding(`wal_a${nth}`, 'venue_a', address)),
    ...(onVenueA > 0 ? [[createPlatformAttribution.type, attribution] satisfies [string, object]] : []),
  ];
  const records = commands.map(([type, body], nth) => {
    const id = `simulated-${nth}`;
    // They were never commands: ingest copies those from the first one on.
    const change = { id, receivedAt, wallTime: receivedAt, type, body: JSON.stringify(body), commandOffset: -1 };
    const partition = partitionOf(id, changeTopic.partitions);
    return {
      topic: changeTopic.name,
      partition,
      key: id,
      value: codec.encode(changeTopic, change),
      receivedAt,
      seq: nth + 1,
    };
  });
  await log.append(records);
}
