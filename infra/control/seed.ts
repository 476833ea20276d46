import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { SeedResult } from '#schemas/domain/control/commands/seed-admin-key';
import type { Plan } from '#schemas/domain/control/state';
import { SettingError } from '../config/declare.ts';
import type { Authenticator } from './authenticator.ts';
import type { ControlReplica } from './control-replica.ts';
import { hashSecret, verifySecret } from './secret-hash.ts';
import { formatToken, mintToken, parseToken, type Token } from './token.ts';

const FIRST_ORGANIZATION_NAME = 'First organization';

export interface SeedOptions {
  readonly replica: ControlReplica;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** PARALLAX_ADMIN_TOKEN, or null to generate one at the first start. */
  readonly adminToken: string | null;
  /** Plan of the organization that the first seed creates; no later start changes it. */
  readonly plan: Plan;
}

/**
 * Seeds the admin key if needed. Returns a token that was generated here, to be printed once; otherwise null. A
 * configured token whose key was revoked causes a warning and stays revoked. Throws a `SettingError` for a configured
 * token whose id belongs to a key with another secret: it could never be used.
 */
export async function seedAdminKey(options: SeedOptions): Promise<string | null> {
  const { replica, authenticator, adminToken } = options;
  if (adminToken === null) {
    if (replica.state.firstOrganizationId !== null) return null;
    const token = mintToken();
    const { outcome } = await submitSeed(options, token);
    // Another node was first in the log, and its token was printed.
    if (outcome === 'dropped') return null;
    authenticator.remember(token);
    return formatToken(token);
  }
  const token = parseToken(adminToken);
  if (!token || token.sandbox)
    throw new SettingError('PARALLAX_ADMIN_TOKEN is not a live token; accepted: plx_live_<uuid>.<43 characters>');
  if (!replica.state.keys.has(token.keyId)) {
    const { outcome } = await submitSeed(options, token);
    if (outcome === 'revoked') {
      const { keyId } = token;
      options.logger.warn({ keyId }, 'PARALLAX_ADMIN_TOKEN names a revoked key; the key stays revoked');
      return null;
    }
  }
  await checkSecret(replica, token);
  authenticator.remember(token);
  return null;
}

async function submitSeed({ replica, logger, adminToken, plan }: SeedOptions, token: Token): Promise<SeedResult> {
  const verdict = await replica.submit('key.seed', {
    keyId: token.keyId,
    secret: await hashSecret(token.secret),
    organization: { id: `org_${randomUUID()}`, name: FIRST_ORGANIZATION_NAME, plan },
    minted: adminToken === null,
  });
  if (!verdict.ok) throw new Error(`the admin key could not be seeded: ${verdict.message}`);
  const seeded = verdict.result as SeedResult;
  if (seeded.outcome === 'added')
    logger.warn({ keyId: token.keyId }, 'PARALLAX_ADMIN_TOKEN is new: added it as another admin key');
  return seeded;
}

/** Checks the secret of the key: a key of this id may exist, or another node may have seeded it at the same time. */
async function checkSecret(replica: ControlReplica, token: Token): Promise<void> {
  const key = replica.state.keys.get(token.keyId);
  if (key && (await verifySecret(token.secret, key.secret))) return;
  throw new SettingError(
    `PARALLAX_ADMIN_TOKEN names the key ${token.keyId}, which has another secret; accepted: that key's own token, or one with a new uuid`,
  );
}
