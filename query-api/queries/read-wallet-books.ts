import type { Wallet } from '#schemas/domain/control/state';
import { hasLots } from '#schemas/domain/ledger/open-position';
import { type AccountProvider, accountName, PROVIDER_FAMILIES, providerFamily } from '#schemas/venues/accounts';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import type { WalletBook } from '../pnl/rows.ts';
import type { Views } from '../views/views.ts';
import { marketsOfTokens, type OutcomeToken } from './markets-of-tokens.ts';
import type { Reader } from './query.ts';
import { type FiguresWindow, readBookFigures } from './read-book-figures.ts';
import { type MarkViews, readMarks } from './read-marks.ts';
import { readPayouts } from './read-payouts.ts';
import { ledgersOf, walletFor } from './select-wallets.ts';

export interface WalletBooks {
  readonly books: readonly WalletBook[];
  /** The newest time at which an event reached one of the ledgers, unix ms; 0 without events. */
  readonly newest: number;
  /** True if the venue states the positions of the wallet's ledger, as far as they were compared. */
  readonly agrees: (wallet: Wallet) => boolean;
}

/** Reads the books of wallets with figures, each once, with marks and markets of their instruments. */
export async function readWalletBooks(
  store: Reader,
  views: MarkViews & Pick<Views, 'ledgers'>,
  wallets: readonly Wallet[],
  window: FiguresWindow,
  requested?: AccountProvider | undefined,
): Promise<WalletBooks> {
  const ledgers = new Map(ledgersOf(views.ledgers, wallets, requested).map((ledger) => [ledger.account, ledger]));
  const { books, newest, differing } = await readBookFigures(store, [...ledgers.values()], window);
  const held = new Map(
    books.filter(({ open }) => hasLots(open)).map((book) => [book.instrument, providerOfBook(book)]),
  );
  const tokensRead = Promise.all(PROVIDER_FAMILIES.map((family) => tokensOf(store, family, books))).then(
    (found) => new Map(found.flatMap((tokens) => [...tokens])),
  );
  const payoutsOfHeld = async () => {
    const tokens = [...(await tokensRead)].filter(([instrument, { provider }]) => held.get(instrument) === provider);
    return readPayouts(store, new Map(tokens));
  };
  const [tokens, payouts, marks] = await Promise.all([tokensRead, payoutsOfHeld(), readMarks(store, views, held)]);
  return {
    books: books.map((book) => {
      const provider = providerOfBook(book);
      const { instrument } = book;
      const token = tokens.get(instrument);
      return {
        ...book,
        provider,
        wallet: walletFor(ledgers.get(book.account)!, provider),
        mark: payouts.get(instrument) ?? marks.get(instrument) ?? null,
        token: token?.provider === provider ? token : null,
      };
    }),
    newest,
    agrees: ({ provider, address }) => !differing.has(accountName(providerFamily(provider), address)),
  };
}

/** The fine-grained provider of the instrument of a book. */
export function providerOfBook({ account, instrument }: { account: string; instrument: string }): string {
  const family = account.slice(0, account.indexOf(':'));
  return family === 'venue_a' ? providerOf(instrument) : family;
}

function tokensOf(
  store: Reader,
  family: (typeof PROVIDER_FAMILIES)[number],
  books: readonly { account: string; instrument: string }[],
): Promise<ReadonlyMap<string, OutcomeToken>> {
  const own = books.filter(({ account }) => account.startsWith(`${family}:`));
  return marketsOfTokens(store, family, [...new Set(own.map(({ instrument }) => instrument))]);
}
