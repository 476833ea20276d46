import { describe, expect, it } from 'vitest';
import { defineFeeModel, type FeeModel } from '#schemas/domain/arbitrage/fee-model';
import { FEE_MODELS } from '#schemas/domain/arbitrage/fee-models';
import { driveProfitable, REMOVED, sizeFrom } from './spreads.fixture.ts';
import { createSpreadsStage } from './stage.ts';

describe('sizes and fees that change', () => {
  it('quotes everything again when another size becomes valid, and only from then on', () => {
    const changing = () => driveProfitable(sizeFrom(3000, '400'));
    const [all, restarted] = [changing(), changing()];
    restarted.probe.restart();
    for (const one of [all, restarted]) {
      // Before: the deeper levels are out of reach.
      one.book(
        '#70',
        1500,
        [
          ['0.56', '300'],
          ['0.5', '300'],
        ],
        [['0.58', '500']],
      );
      expect(one.tick(2999).arbitrages).toMatchObject([{ size: '100', secondPrice: '0.56' }]);
    }
    // 300 at 0.56 and 100 at 0.5; the first tick with the new size emits it without a book change.
    const emitted = all.tick(3000);
    expect(emitted.arbitrageHeads.map(({ value }) => value)).toMatchObject([
      { size: '400', secondPrice: '0.545', firstPrice: '0.5' },
    ]);
    expect(restarted.tick(3000)).toEqual(emitted);
    expect(all.book('b-yes', 4000, [], [['0.49', '400']], false).arbitrages).toMatchObject([
      { size: '400', firstPrice: '0.49' },
    ]);
  });

  it('emits a larger size also if no price changes', () => {
    const all = driveProfitable(sizeFrom(3000, '200'));
    expect(all.tick(3000).arbitrageHeads.map(({ value }) => value)).toMatchObject([{ size: '200', firstPrice: '0.5' }]);
  });

  it('emits another size with the first valid event when an invalid one came before it', () => {
    const all = driveProfitable(sizeFrom(3000, '200'));
    expect(() => all.book('b-yes', 3000, [['0.5', '-1']], [], false)).toThrow('negative size');
    expect(all.tick(3001).arbitrageHeads.map(({ value }) => value)).toMatchObject([{ size: '200', firstPrice: '0.5' }]);
  });

  describe('with a venue whose fees changed', () => {
    /** Fees of a venue that charged nothing at first, and a cent a share from 3000 on. */
    const free = defineFeeModel({ provider: 'venue_a_outcome', since: 0, shareFee: () => 0n, step: 1n });
    const cent = 10n ** 52n;
    const charged = defineFeeModel({ ...free, since: 3000, shareFee: () => cent });
    const others = FEE_MODELS.filter(({ provider }) => provider !== 'venue_a_outcome');
    const withModels = (...models: FeeModel[]) =>
      createSpreadsStage({ arbitrageSize: '100', feeModels: [...models, ...others] });

    it('charges the fee valid at the time of the evaluation, from the moment of the change without a book change', () => {
      const [all, restarted, before] = [
        driveProfitable(withModels(charged, free)),
        driveProfitable(withModels(charged, free)),
        driveProfitable(withModels(free)),
      ];
      restarted.probe.restart();
      // Results from before the change do not depend on the later model.
      expect(all.last).toEqual(before.last);
      const first = all.tick(2999);
      expect(first.arbitrages).toMatchObject([{ secondFee: '0', netEdge: '0.06' }]);
      expect(before.tick(2999)).toEqual(first);
      expect(restarted.tick(2999)).toEqual(first);
      const emitted = all.tick(3000);
      expect(emitted.arbitrageHeads.map(({ value }) => value)).toMatchObject([{ secondFee: '0.01', netEdge: '0.05' }]);
      restarted.probe.restart();
      expect(restarted.tick(3000)).toEqual(emitted);
      expect(before.tick(3000).arbitrageHeads).toEqual([]);
      expect(all.book('#70', 4000, [['0.57', '100']], [], false).arbitrages).toMatchObject([
        { secondPrice: '0.57', secondFee: '0.01' },
      ]);
    });

    it('has no record while the fee is unknown', () => {
      const all = driveProfitable(withModels(charged));
      expect(all.last.arbitrageHeads).toEqual([]);
      expect(all.tick(2999).arbitrageHeads).toEqual([]);
      expect(all.tick(3000).arbitrageHeads.map(({ value }) => value)).toMatchObject([{ secondFee: '0.01' }]);
    });
  });

  it('removes the record when a book has less than the new size', () => {
    const all = driveProfitable(sizeFrom(3000, '501'));
    expect(all.tick(3000).arbitrageHeads).toEqual([REMOVED]);
    expect(all.tick(5000).arbitrages).toEqual([]);
  });
});
