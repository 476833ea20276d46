/** What was asked for would lose what cannot be derived again, or compare what cannot be compared. Nothing was changed. */
export class ReplayRefusedError extends Error {
  override name = 'ReplayRefusedError';
  readonly code = 'replay_refused';
  readonly canRetry = false;
}
