import { expect, it } from 'vitest';
import { CollateralAccounts } from './collateral-accounts.ts';

const address = (nth: number) => `0x${String(nth).padStart(40, '0')}`;
const topic = (nth: number) => `0x${String(nth).padStart(64, '0')}`;
const bind = (accounts: CollateralAccounts, nth: number, ledger: number) =>
  accounts.record({ account: `venue_b:${address(nth)}`, ledger });

it('reads transfers from and to the bound accounts, of both collateral tokens, from the next application on', () => {
  const accounts = new CollateralAccounts();
  expect(accounts.apply(7)).toEqual([]);
  bind(accounts, 1, 10);
  expect(accounts.filters()).toEqual([]);
  expect(accounts.readFrom(address(1))).toBeNull();
  expect(accounts.apply(7)).toEqual([{ account: address(1), ledger: 10 }]);
  expect(accounts.readFrom(address(1))).toEqual({ ledger: 10, block: 7 });
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const addresses = ['0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb', '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'];
  expect(accounts.filters()).toEqual([
    { addresses, topics: [[transfer], [topic(1)]] },
    { addresses, topics: [[transfer], null, [topic(1)]] },
  ]);
  expect(accounts.apply(7)).toEqual([]);
});

it('states an account again after another binding, and leaves it out after the last one', () => {
  const accounts = new CollateralAccounts();
  bind(accounts, 1, 10);
  accounts.apply(7);
  accounts.forget(`venue_b:${address(1)}`);
  bind(accounts, 1, 20);
  bind(accounts, 2, 20);
  expect(accounts.apply(7)).toEqual([
    { account: address(1), ledger: 20 },
    { account: address(2), ledger: 20 },
  ]);
  accounts.forget(`venue_b:${address(1)}`);
  accounts.forget(`venue_b:${address(2)}`);
  expect(accounts.apply(7)).toEqual([]);
  expect(accounts.filters()).toEqual([]);
});

it('divides many accounts among filters', () => {
  const accounts = new CollateralAccounts();
  for (let nth = 0; nth < 1_001; nth += 1) bind(accounts, nth, 1);
  accounts.apply(7);
  expect(accounts.filters().map(({ topics }) => topics.at(-1)?.length)).toEqual([500, 500, 500, 500, 1, 1]);
});
