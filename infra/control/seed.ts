import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Seeded } from '#schemas/domain/control/commands/seed-admin-key';
import type { Plan } from '#schemas/domain/control/state';
import type { Authenticator } from './authenticator.ts';
import type { ControlHost } from './control-host.ts';
import { hashSecret } from './secret-hash.ts';
import { formatToken, mintToken, parseToken } from './token.ts';

/** Id of the organization that the first seed makes. */
const FIRST_ORGANIZATION_NAME = 'First organization';

export interface SeedOptions {
  readonly host: ControlHost;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** PARALLAX_ADMIN_TOKEN, or null to have one made on the first start. */
  readonly adminToken: string | null;
  readonly plan: Plan;
}

/** Seeds the admin key where needed. Gives a token that was made here, to be printed once; otherwise null. */
export async function seedAdminKey({
  host,
  authenticator,
  logger,
  adminToken,
  plan,
}: SeedOptions): Promise<string | null> {
  if (adminToken === null && host.state.firstOrganizationId !== null) return null;
  const token = adminToken === null ? mintToken() : parseToken(adminToken)!;
  if (!host.state.keys.has(token.keyId)) {
    const verdict = await host.submit('key.seed', {
      keyId: token.keyId,
      secret: await hashSecret(token.secret),
      organization: { id: `org_${randomUUID()}`, name: FIRST_ORGANIZATION_NAME, plan },
      minted: adminToken === null,
    });
    if (!verdict.ok) throw new Error(`the admin key could not be seeded: ${verdict.message}`);
    const { outcome } = verdict.result as Seeded;
    if (outcome === 'added')
      logger.warn({ keyId: token.keyId }, 'another PARALLAX_ADMIN_TOKEN: it is one more admin key now');
    if (outcome === 'dropped') return null;
    authenticator.remember(token);
  }
  return adminToken === null ? formatToken(token) : null;
}
