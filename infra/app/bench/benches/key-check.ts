/**
 * Time to check the key of a request: the 99th percentile of `authenticateKnown` in milliseconds, over keys whose
 * secrets this node has checked before, in turn. There is no baseline.
 *
 * Sources of error: a single key, whose token would stay in processor caches (there are as many as on a busy node); a
 * coarse clock (it counts nanoseconds).
 */
import { putKey, putOrganization } from '#schemas/domain/control/indices';
import { initialControlState, SCOPES, type SecretHash } from '#schemas/domain/control/state';
import { createAuthenticator } from '../../../control/authenticator.ts';
import { formatToken, mintToken } from '../../../control/token.ts';
import type { Bench, BenchResult } from '../bench.ts';
import { quantile } from '../statistics.ts';

const KEYS = 10_000;
const CHECKS = 300_000;
const WARMUP_SHARE = 0.2;
/** Never compared with, since every token is already cached. */
const SECRET: SecretHash = { algorithm: 'scrypt', N: 16_384, r: 8, p: 1, salt: '', hash: '' };
const CREATED_AT = '2026-01-01T00:00:00.000Z';

export const keyCheck: Bench = {
  aims: { 'key-check': { valueMaxMs: 0.2 } },
  run: () => measureKeyCheck({ keys: KEYS, checks: CHECKS }),
};

/** Exported for tests, which use fewer keys. */
export async function measureKeyCheck({ keys, checks }: { keys: number; checks: number }): Promise<BenchResult[]> {
  const state = initialControlState();
  const authenticator = createAuthenticator({ state, isCurrent: true });
  const orgId = 'org_bench';
  putOrganization(state, { id: orgId, name: 'Bench', plan: 'enterprise', createdAt: CREATED_AT });
  const tokens = Array.from({ length: keys }, () => {
    const token = mintToken();
    const { keyId: id, sandbox } = token;
    putKey(state, {
      id,
      orgId,
      name: 'k',
      userId: 'u',
      scopes: SCOPES,
      sandbox,
      secret: SECRET,
      createdAt: CREATED_AT,
    });
    authenticator.remember(token);
    return formatToken(token);
  });
  const durations: number[] = [];
  const warmups = Math.floor(checks * WARMUP_SHARE);
  for (let nth = 0; nth < warmups + checks; nth += 1) {
    const startedAt = process.hrtime.bigint();
    const found = authenticator.authenticateKnown(tokens[nth % keys]!);
    const ns = process.hrtime.bigint() - startedAt;
    if (!found) throw new Error('a valid key was refused');
    if (nth >= warmups) durations.push(Number(ns) / 1e6);
  }
  return [{ name: 'key-check', value: quantile(durations, 0.99), unit: 'ms', baseline: null, ratio: null }];
}
