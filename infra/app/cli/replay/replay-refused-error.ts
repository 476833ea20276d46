/**
 * A replay would lose data that cannot be derived again, or a verification has nothing to compare. Nothing was changed.
 */
export class ReplayRefusedError extends Error {
  override name = 'ReplayRefusedError';
  readonly code = 'replay_refused';
  readonly canRetry = false;
}
