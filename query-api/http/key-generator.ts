import type { Authenticator } from '#infra/control/authenticator';
import { formatToken, mintToken } from '#infra/control/token';
import type { SecretMaker } from '../routes/route.ts';

/** Makes keys; their secrets are hashed within the bounds of the authenticator. */
export function createSecretMaker(authenticator: Pick<Authenticator, 'hashNew' | 'remember'>): SecretMaker {
  return {
    async makeKey(orgId, sandbox) {
      const token = mintToken(sandbox);
      const hash = await authenticator.hashNew(orgId, token.secret);
      return { keyId: token.keyId, token: formatToken(token), hash, remember: () => authenticator.remember(token) };
    },
  };
}
