import { judgeTargetUrl, type TargetRules } from '#infra/outbound/target-url';
import { ApiError } from '#schemas/errors';

/**
 * Refuses what may never be reached, by its text: a scheme, a literal address, credentials (the contract, Webhooks).
 * What a name resolves to is judged at every attempt. Throws 400 naming `url`.
 */
export function checkTarget(url: string, rules: TargetRules): void {
  const verdict = judgeTargetUrl(url, rules);
  if (!verdict.ok) throw new ApiError('validation_failed', verdict.message);
}
