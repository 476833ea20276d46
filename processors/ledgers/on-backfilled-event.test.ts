import { expect, it } from 'vitest';
import { ledgerEventTopic } from '#schemas/topics/ledgers';
import { createLedgersProbe, OPERATOR, resolutionAt, TAKER } from './ledgers.fixture.ts';

/** A trade and a move from before the taker was bound. */
function boundLate() {
  const probe = createLedgersProbe();
  probe.market();
  const trade = probe.trade(10);
  const move = probe.move(11);
  probe.bind(OPERATOR, 'wal_t', TAKER);
  return { probe, trade, move };
}

it('adds events from before the binding to the ledger, each once', () => {
  const { probe, trade, move } = boundLate();
  expect(probe.rows()).toEqual([]);
  for (const _ of [1, 2]) {
    probe.found({ move });
    probe.found({ trade });
  }
  probe.driver.restart();
  probe.repeat(trade, 'confirmed');
  probe.repeatMove(move, 'confirmed');
  expect(probe.rows().map((row) => row.split(',')[0])).toEqual([
    'taker venue_b:0xm11:1 split 1: 5 at 0.5',
    'taker venue_b:0xm11:1 split 2: 5 at 0.5',
    'taker venue_b:0xt10:1 fill 1: 3 at 0.4',
  ]);
});

it('adds nothing to the ledger of a later binding', () => {
  const { probe, trade, move } = boundLate();
  const { startedAt } = probe.driver.state.accounts.get(`venue_b:${TAKER}`)!;
  probe.found({ trade, ledger: startedAt });
  expect(probe.rows()).toHaveLength(1);
  probe.found({ move, ledger: startedAt - 1 });
  expect(probe.rows()).toHaveLength(1);
});

it('does not count an event twice that the ledger has from the chain', () => {
  const { probe } = boundLate();
  const trade = probe.trade(20);
  const move = probe.move(21);
  const state = () => [probe.rows(), probe.books(), probe.driver.emittedTo(ledgerEventTopic).length];
  const before = state();
  probe.found({ trade });
  probe.found({ move });
  expect(state()).toEqual(before);
});

it('adds nothing to the ledger of the other account of a trade', () => {
  const { probe, trade } = boundLate();
  probe.bind(OPERATOR, 'wal_m', trade.maker!);
  probe.found({ trade });
  expect(probe.rows().map((row) => row.split(' ')[0])).toEqual(['taker']);
});

it('removes events that are reverted, wherever the trade came from', () => {
  const { probe, trade, move } = boundLate();
  const early = { ...trade, id: 'venue_b:0xt1:1', blockNumber: 1 };
  probe.found({ trade });
  probe.found({ move });
  probe.found({ trade: early });
  expect(probe.rows()).toHaveLength(4);
  probe.repeat(trade, 'reverted');
  probe.repeatMove(move, 'reverted');
  probe.revertBackfilled(early);
  expect(probe.rows()).toEqual([]);
});

it('settles a market that was resolved before the chain was followed, once, whichever of it and the market comes last', () => {
  for (const isListed of [true, false]) {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    if (isListed) probe.market();
    probe.found({ trade: { ...probe.trade(10, { maker: null, taker: null }), taker: TAKER } });
    const resolution = resolutionAt(30);
    for (const _ of [1, 2]) probe.found({ resolution });
    probe.driver.restart();
    if (!isListed) probe.market();
    expect(probe.rows().map((row) => row.split(',')[0])).toEqual([
      'taker venue_b:0xt10:1 fill 1: 3 at 0.4',
      'taker venue_b:0xr30:1 settle 1: -3 at 1',
    ]);
    expect(probe.books()).toEqual([]);
  }
});

it('settles a trade of which the market was not known, although its resolution is found again', () => {
  const { probe, trade } = boundLate();
  const resolution = resolutionAt(30);
  probe.found({ resolution });
  probe.found({ trade: { ...trade, marketId: null } });
  probe.found({ resolution });
  expect([probe.rows().length, probe.books()]).toEqual([2, []]);
});

it('settles events of a market that was resolved before', () => {
  const { probe, trade } = boundLate();
  probe.resolve(30);
  probe.found({ trade: { ...trade, marketId: '0xc' } });
  expect([probe.rows().length, probe.books()]).toEqual([2, []]);
});
