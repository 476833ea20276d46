import type { Authenticator } from '#infra/control/authenticator';
import { formatToken, mintToken } from '#infra/control/token';
import type { KeyGenerator } from '../routes/route.ts';

/** Generates keys. Their secrets are hashed within the concurrency limits of the authenticator. */
export function createKeyGenerator(authenticator: Pick<Authenticator, 'hashNewSecret' | 'remember'>): KeyGenerator {
  return {
    async generateKey(orgId, sandbox) {
      const token = mintToken(sandbox);
      const hash = await authenticator.hashNewSecret(orgId, token.secret);
      return { keyId: token.keyId, token: formatToken(token), hash, remember: () => authenticator.remember(token) };
    },
  };
}
