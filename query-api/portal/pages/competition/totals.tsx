/** The totals of competition stats, which count nothing twice. */
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import type { StatsFigures } from './shapes.ts';

const LABELS: readonly (readonly [field: keyof StatsFigures, label: string, isSigned: boolean])[] = [
  ['accountValueUsd', 'Value, USD', false],
  ['unrealizedPnlUsd', 'Unrealized, USD', true],
  ['realizedPnlUsd', 'Realized, USD', true],
  ['volumeUsd', 'Traded, USD', false],
  ['tradingFeeUsd', 'Trading fees, USD', false],
  ['builderFeeUsd', 'Builder fees, USD', false],
];

interface TotalsProps {
  readonly total: StatsFigures;
  /** What the totals are of, to say which of them leave out a row without the figure. */
  readonly rows: readonly StatsFigures[];
}

export function Totals({ total, rows }: TotalsProps) {
  const unknown = (field: keyof StatsFigures) => rows.filter((row) => row[field] === null).length;
  return (
    <dl class="facts tiles" aria-label="Totals">
      {LABELS.map(([field, label, isSigned]) => (
        <Fact key={field} label={label} field={field}>
          <Num value={total[field]} digits={2} signed={isSigned} reason="no row states it" />
          {total[field] !== null && unknown(field) > 0 && (
            <small class="muted">
              without {unknown(field)} of {rows.length} rows
            </small>
          )}
        </Fact>
      ))}
    </dl>
  );
}
