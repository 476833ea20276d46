/** The totals of competition stats, which count nothing twice. */
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import type { StatsFigures } from './shapes.ts';

const LABELS: readonly (readonly [field: keyof StatsFigures, label: string, isSigned: boolean])[] = [
  ['accountValueUsd', 'Value, USD', false],
  ['volumeUsd', 'Traded, USD', false],
  ['realizedPnlUsd', 'Realized, USD', true],
  ['unrealizedPnlUsd', 'Unrealized, USD', true],
  ['tradingFeeUsd', 'Trading fee, USD', false],
  ['builderFeeUsd', 'Builder fee, USD', false],
];

export function Totals({ total }: { readonly total: StatsFigures }) {
  return (
    <dl class="facts tiles" aria-label="Totals">
      {LABELS.map(([field, label, isSigned]) => (
        <Fact key={field} label={label} field={field}>
          <Num value={total[field]} digits={2} signed={isSigned} reason="no row states it" />
        </Fact>
      ))}
    </dl>
  );
}
