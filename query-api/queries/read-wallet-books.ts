import type { Wallet } from '#schemas/domain/control/state';
import type { WalletBook } from '../pnl/rows.ts';
import type { Views } from '../views/views.ts';
import { marketsOfTokens } from './markets-of-tokens.ts';
import type { Reader } from './query.ts';
import { type FiguresWindow, readBookFigures } from './read-book-figures.ts';
import { readMarks } from './read-marks.ts';
import { ledgersOf } from './select-wallets.ts';

/** The venue whose accounts have ledgers so far. It is a provider itself. */
const VENUE = 'venue_b';

export interface WalletBooks {
  readonly books: readonly WalletBook[];
  /** The newest time at which an event reached one of the ledgers, unix ms; 0 without events. */
  readonly newest: number;
}

/** Reads the books of wallets, each once, with marks and markets of their instruments. */
export async function readWalletBooks(
  store: Reader,
  views: Pick<Views, 'events' | 'questionBooks' | 'ledgers'>,
  wallets: readonly Wallet[],
  window: FiguresWindow,
): Promise<WalletBooks> {
  const ledgers = ledgersOf(views.ledgers, wallets);
  const walletOf = new Map(ledgers.map(({ account, wallet }) => [account, wallet]));
  const { books, newest } = await readBookFigures(store, ledgers, window);
  const open = new Set(books.filter(({ lots }) => lots.length > 0).map(({ instrument }) => instrument));
  const instruments = [...new Set(books.map(({ instrument }) => instrument))];
  const [marks, tokens] = await Promise.all([
    readMarks(store, views, VENUE, open),
    marketsOfTokens(store, VENUE, instruments),
  ]);
  return {
    books: books.map((book) => ({
      ...book,
      wallet: walletOf.get(book.account)!,
      mark: marks.get(book.instrument) ?? null,
      token: tokens.get(book.instrument) ?? null,
    })),
    newest,
  };
}
