/** The state of one subscription, as the console and the pages of channels show it. */
interface SubscriptionFacts {
  readonly isFollowed: boolean;
  readonly isPaused: boolean;
  /** True once the server accepted it on the current connection. */
  readonly isAccepted: boolean;
  /** Why the server refused it; null if it did not. */
  readonly refusal: string | null;
  /** Messages that it received. */
  readonly received: number;
}

export function subscriptionState({ isFollowed, isPaused, isAccepted, refusal, received }: SubscriptionFacts): string {
  if (refusal !== null) return `refused: ${refusal}`;
  if (!isFollowed) return received === 0 ? 'none yet' : 'ended';
  if (isPaused) return 'paused';
  return isAccepted ? 'subscribed' : 'requested';
}
