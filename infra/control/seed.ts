import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Seeded } from '#schemas/domain/control/commands/seed-admin-key';
import type { Plan } from '#schemas/domain/control/state';
import { SettingError } from '../config/declare.ts';
import type { Authenticator } from './authenticator.ts';
import type { ControlHost } from './control-host.ts';
import { hashSecret, verifySecret } from './secret-hash.ts';
import { formatToken, mintToken, parseToken, type Token } from './token.ts';

const FIRST_ORGANIZATION_NAME = 'First organization';

export interface SeedOptions {
  readonly host: ControlHost;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** PARALLAX_ADMIN_TOKEN, or null to have one made on the first start. */
  readonly adminToken: string | null;
  /** Of the organization that the first seed makes; no later start changes it. */
  readonly plan: Plan;
}

/**
 * Seeds the admin key where needed. Gives a token that was made here, to be printed once; otherwise null. A given token
 * whose key was revoked is warned of and stays revoked. Throws a `SettingError` for a given token whose id is that of a key with another secret: it could never be used.
 */
export async function seedAdminKey(options: SeedOptions): Promise<string | null> {
  const { host, authenticator, adminToken } = options;
  if (adminToken === null) {
    if (host.state.firstOrganizationId !== null) return null;
    const token = mintToken();
    const { outcome } = await submitSeed(options, token);
    // Another node was first in the log: its token is the one that was printed.
    if (outcome === 'dropped') return null;
    authenticator.remember(token);
    return formatToken(token);
  }
  const token = parseToken(adminToken);
  if (!token || token.sandbox)
    throw new SettingError('PARALLAX_ADMIN_TOKEN is no live token; accepted: plx_live_<uuid>.<43 characters>');
  if (!host.state.keys.has(token.keyId)) {
    const { outcome } = await submitSeed(options, token);
    if (outcome === 'revoked') {
      const { keyId } = token;
      options.logger.warn({ keyId }, 'PARALLAX_ADMIN_TOKEN names a key that was revoked; it stays so');
      return null;
    }
  }
  await checkSecret(host, token);
  authenticator.remember(token);
  return null;
}

async function submitSeed({ host, logger, adminToken, plan }: SeedOptions, token: Token): Promise<Seeded> {
  const verdict = await host.submit('key.seed', {
    keyId: token.keyId,
    secret: await hashSecret(token.secret),
    organization: { id: `org_${randomUUID()}`, name: FIRST_ORGANIZATION_NAME, plan },
    minted: adminToken === null,
  });
  if (!verdict.ok) throw new Error(`the admin key could not be seeded: ${verdict.message}`);
  const seeded = verdict.result as Seeded;
  if (seeded.outcome === 'added')
    logger.warn({ keyId: token.keyId }, 'another PARALLAX_ADMIN_TOKEN: it is one more admin key now');
  return seeded;
}

/** A key of this id may have been there before, or another node may have seeded it at the same time. */
async function checkSecret(host: ControlHost, token: Token): Promise<void> {
  const key = host.state.keys.get(token.keyId);
  if (key && (await verifySecret(token.secret, key.secret))) return;
  throw new SettingError(
    `PARALLAX_ADMIN_TOKEN names the key ${token.keyId}, which has another secret; accepted: that key's own token, or one with a new uuid`,
  );
}
