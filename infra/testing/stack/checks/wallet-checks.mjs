// Binds wallets, so that the tables of their money have rows that a replay must derive again.
import { get, lines, post, query, until } from '../stack-client.mjs';

/** The accounts with the most trades of a venue in the table. */
function busiestAccounts(provider, count) {
  return lines(
    query(
      `SELECT account FROM trades ARRAY JOIN [maker, taker] AS account WHERE provider = '${provider}' AND account != ''
        GROUP BY account ORDER BY count() DESC, account LIMIT ${count}`,
    ),
  );
}

const TABLES = ['account_fills', 'account_values', 'book_events'];
const rowsOf = (table) => Number(query(`SELECT count() FROM ${table} FINAL`));

export const walletCheck = {
  'bound wallets have fills, ledgers and values': async () => {
    for (const [provider, tradesOf] of [
      ['venue_a', 'venue_a_perp'],
      ['venue_b', 'venue_b'],
    ]) {
      const accounts = await until(() => {
        const found = busiestAccounts(tradesOf, 2);
        return found.length === 2 && found;
      }, `trades of two accounts of ${provider}`);
      for (const address of accounts) {
        const { id } = await post(201, '/v1/me/wallets', { provider, address, label: address.slice(0, 10) });
        await until(() => get(`/v1/me/wallets/${id}/nav`), `the value of ${provider} ${address}`);
      }
    }
    for (const table of TABLES) await until(() => rowsOf(table) > 0, `rows in ${table}`);
  },
};
