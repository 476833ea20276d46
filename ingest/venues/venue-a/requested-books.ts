/** The coins whose books somebody reads now; their books are subscribed where there is room. */
import { BOOK_WANTED_MS, bookWanted } from '#schemas/requests/book-wanted';
import { defineHandler, type RequestHandler } from '../../requests/request-handler.ts';

/** More are ignored, since the venue allows no more subscriptions. */
const COINS_MAX = 1_000;

export class RequestedBooks {
  /** Until when each is wanted, unix ms. */
  private readonly until = new Map<string, number>();
  private readonly onNew: () => void;

  /** @param onNew called when a coin is wanted that was not. */
  constructor(onNew: () => void) {
    this.onNew = onNew;
  }

  readonly handler: RequestHandler = defineHandler({
    kind: bookWanted,
    running: 100,
    expiresAfterMs: BOOK_WANTED_MS,
    run: async ({ coins }, { requestedAt }) => {
      this.add(coins, requestedAt + BOOK_WANTED_MS);
      return {};
    },
  });

  /** The coins that are wanted at a time, unix ms. */
  coins(now: number): Set<string> {
    for (const [coin, until] of this.until) if (until <= now) this.until.delete(coin);
    return new Set(this.until.keys());
  }

  private add(coins: readonly string[], until: number): void {
    const before = this.until.size;
    for (const coin of coins)
      if (this.until.has(coin) || this.until.size < COINS_MAX)
        this.until.set(coin, Math.max(until, this.until.get(coin) ?? 0));
    if (this.until.size > before) this.onNew();
  }
}
