/** The followed accounts that traded last: their fills are subscribed to, since the venue limits the users of a service. Pure. */
import type { FillLoad } from '#schemas/topics/account-fills';
import { USERS_MAX } from '../declaration.ts';

/** An account is replaced by one that traded so much later: each subscription begins with many fills that are known. */
const STAY_MS = 60_000;

interface Traded {
  readonly user: string;
  /** Unix ms. */
  readonly at: number;
}

type Load = Pick<FillLoad, 'account' | 'user' | 'tradedAt' | 'ordersFrom' | 'twapsFrom'>;

export class RecentAccounts {
  private readonly onChanged: () => void;
  private readonly max: number;
  /** The accounts of which a trade is known, by name. */
  private readonly traded = new Map<string, Traded>();
  private readonly chosen = new Set<string>();

  /** @param onChanged called when other accounts than before are among those that traded last. */
  constructor(onChanged: () => void, max = USERS_MAX) {
    this.onChanged = onChanged;
    this.max = max;
  }

  /** Addresses of the accounts. */
  users(): string[] {
    return [...this.chosen].map((account) => this.traded.get(account)!.user);
  }

  /** Processes a record of the topic: a list continues at its newest fill, so that a trade counts although nobody recorded it. */
  record({ account, user, tradedAt, ordersFrom, twapsFrom }: Load): void {
    const at = Math.max(tradedAt ?? 0, ordersFrom, twapsFrom);
    if (at === 0) {
      // The account was bound again.
      this.forget(account);
      return;
    }
    this.traded.set(account, { user, at });
    if (this.chosen.has(account)) return;
    if (this.chosen.size >= this.max) {
      const oldest = this.extremeOf(this.chosen, -1)!;
      if (at < this.tradedAt(oldest) + STAY_MS) return;
      this.chosen.delete(oldest);
    }
    this.chosen.add(account);
    this.onChanged();
  }

  /** Forgets an account that no binding names any more. */
  forget(account: string): void {
    this.traded.delete(account);
    if (!this.chosen.delete(account)) return;
    const others = [...this.traded.keys()].filter((other) => !this.chosen.has(other));
    const next = this.extremeOf(others, 1);
    if (next !== null) this.chosen.add(next);
    this.onChanged();
  }

  private tradedAt(account: string): number {
    return this.traded.get(account)!.at;
  }

  /** The account that traded last (1) or first (-1); null without one. */
  private extremeOf(accounts: Iterable<string>, sign: 1 | -1): string | null {
    let found: string | null = null;
    for (const account of accounts)
      if (found === null || sign * (this.tradedAt(account) - this.tradedAt(found)) > 0) found = account;
    return found;
  }
}
