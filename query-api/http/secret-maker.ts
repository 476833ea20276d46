import type { Authenticator } from '#infra/control/authenticator';
import { HASH_LIMITS, HashBusyError, HashSlots } from '#infra/control/hash-slots';
import { hashSecret } from '#infra/control/secret-hash';
import { formatToken, mintToken } from '#infra/control/token';
import { ApiError } from '#schemas/errors';
import type { SecretMaker } from '../routes/route.ts';

const RETRY_AFTER_SECONDS = 1;

/** Makes keys with as many hashes at a time as a node may run; beyond them and a short wait it refuses. */
export function createSecretMaker(authenticator: Pick<Authenticator, 'remember'>): SecretMaker {
  // New keys have ids of their own, so the bound for one key id says nothing about them.
  const slots = new HashSlots(HASH_LIMITS);
  return {
    async makeKey(sandbox) {
      const token = mintToken(sandbox);
      try {
        const hash = await slots.run(token.keyId, () => hashSecret(token.secret));
        const { keyId } = token;
        return { keyId, token: formatToken(token), hash, remember: () => authenticator.remember(token) };
      } catch (error) {
        if (!(error instanceof HashBusyError)) throw error;
        throw new ApiError('internal_error', 'too many keys are being made; try again', {
          status: 503,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
          cause: error,
        });
      }
    },
  };
}
