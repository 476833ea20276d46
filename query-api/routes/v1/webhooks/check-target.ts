import { evaluateTargetUrl, type TargetRules } from '#infra/outbound/target-url';
import { ApiError } from '#schemas/errors';

/**
 * Checks the text of a webhook URL: its scheme, literal IP addresses and credentials (contract, Webhooks). The
 * addresses that a host name resolves to are checked at every attempt. Throws 400 naming `url`.
 */
export function checkTarget(url: string, rules: TargetRules): void {
  const verdict = evaluateTargetUrl(url, rules);
  if (!verdict.ok) throw new ApiError('validation_failed', verdict.message);
}
