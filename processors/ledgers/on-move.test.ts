import { describe, expect, it } from 'vitest';
import { createLedgersProbe, OPERATOR, TAKER } from './ledgers.fixture.ts';

/** A probe in which the taker is bound and the catalog lists the market of tokens 1 and 2. */
function bound() {
  const probe = createLedgersProbe();
  probe.bind(OPERATOR, 'wal_t', TAKER);
  probe.market();
  return probe;
}

const NO_FILL = 'notional 0, fee 0';

describe('splits, merges and conversions of a bound account', () => {
  it('open and close lots of every outcome, once for all records of a move', () => {
    const probe = bound();
    const split = probe.move(10, { qty: '5' });
    probe.repeatMove(split, 'confirmed');
    probe.driver.restart();
    probe.move(11, { kind: 'merge', qty: '2' });
    expect(probe.rows()).toEqual([
      `taker venue_b:0xm10:1 split 1: 5 at 0.5, realized 0, ${NO_FILL}`,
      `taker venue_b:0xm10:1 split 2: 5 at 0.5, realized 0, ${NO_FILL}`,
      `taker venue_b:0xm11:1 merge 1: -2 at 0.5, realized 0, ${NO_FILL}, closes 2 of venue_b:0xm10:1`,
      `taker venue_b:0xm11:1 merge 2: -2 at 0.5, realized 0, ${NO_FILL}, closes 2 of venue_b:0xm10:1`,
    ]);
  });

  it('convert the NO tokens of markets to the tokens that were given', () => {
    const probe = bound();
    probe.market({ marketId: '0xd', instruments: ['3', '4'] });
    probe.move(10, { qty: '5' });
    const received = [
      { instrument: '5', marketId: null },
      { instrument: '3', marketId: '0xd' },
    ];
    probe.move(11, { kind: 'convert', marketIds: ['0xc'], received, qty: '5' });
    expect(probe.rows().slice(2)).toEqual([
      `taker venue_b:0xm11:1 convert 2: -5 at null, realized 0, ${NO_FILL}, closes 5 of venue_b:0xm10:1`,
      `taker venue_b:0xm11:1 convert 5: 5 at 0.25, realized 0, ${NO_FILL}`,
      `taker venue_b:0xm11:1 convert 3: 5 at 0.25, realized 0, ${NO_FILL}`,
    ]);
  });

  it('are removed when they are reverted, and come again in another block', () => {
    const probe = bound();
    const split = probe.move(10);
    probe.repeatMove(split, 'reverted');
    expect([probe.rows(), probe.books()]).toEqual([[], []]);
    probe.move(12, { id: split.id });
    expect(probe.rows()).toHaveLength(2);
  });

  it('have no row left of an instrument that a late event moved to another part of them', () => {
    const probe = bound();
    probe.trade(10);
    probe.move(12, { kind: 'merge' });
    const before = probe.rows().toSorted();
    const late = probe.trade(9, {}, { takerBuilder: '0xb1' });
    const merge = (rest: string) => `taker venue_b:0xm12:1 merge ${rest}`;
    expect(probe.rows().filter((row) => row.startsWith(merge('')))).toEqual(
      expect.arrayContaining([
        merge(`1 of 0xb1: -3 at 0.5, realized 0.3, ${NO_FILL}, closes 3 of ${late.id}`),
        merge(`1: -2 at 0.5, realized 0.2, ${NO_FILL}, closes 2 of venue_b:0xt10:1`),
        merge(`2: -5 at 0.5, realized 0, ${NO_FILL}`),
      ]),
    );
    expect(probe.rows()).toHaveLength(before.length + 2);
    probe.repeat(late, 'reverted');
    expect(probe.rows().toSorted()).toEqual(before);
  });

  it('wait for a market that the catalog does not list yet', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    const dropped = probe.move(9, { kind: 'merge' });
    probe.move(10);
    probe.repeatMove(dropped, 'reverted');
    probe.driver.restart();
    expect(probe.rows()).toEqual([]);
    probe.market({ marketId: '0xe' });
    expect(probe.rows()).toEqual([]);
    probe.market();
    expect(probe.rows().map((row) => row.split(',')[0])).toEqual([
      'taker venue_b:0xm10:1 split 1: 5 at 0.5',
      'taker venue_b:0xm10:1 split 2: 5 at 0.5',
    ]);
  });

  it('are settled by an outcome that came before them', () => {
    const probe = bound();
    probe.resolve(20);
    probe.move(10);
    expect(probe.books()).toEqual([]);
    expect(probe.rows()).toHaveLength(4);
  });

  it('count from the binding on, and not after it', () => {
    const probe = createLedgersProbe();
    probe.market();
    const early = probe.move(9);
    probe.bind(OPERATOR, 'wal_t', TAKER);
    probe.repeatMove(early, 'confirmed');
    probe.move(10, { marketIds: ['0xf'] });
    probe.unbind(OPERATOR, 'wal_t');
    probe.move(11);
    probe.bind(OPERATOR, 'wal_u', TAKER);
    probe.market({ marketId: '0xf' });
    expect(probe.rows()).toEqual([]);
  });
});
