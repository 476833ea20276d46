/** The totals of a list of profit and loss. */
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { CoverageMark } from './columns.tsx';
import type { Pnl } from './shapes.ts';

const UNKNOWN = 'nothing is known of the fills yet';

export function Totals({ total }: Pick<Pnl, 'total'>) {
  const { realized, unrealized, totalNotional, fees, unpriced, coverage } = total;
  return (
    <dl class="facts tiles" aria-label="Totals">
      <Fact label="Realized, USD" field="realized">
        <Num value={realized} digits={2} signed reason={UNKNOWN} />
      </Fact>
      <Fact label="Unrealized, USD" field="unrealized">
        <Num value={unrealized} digits={2} signed reason="no open position, or none with a known cost and a mark" />
      </Fact>
      <Fact label="Traded, USD" field="totalNotional">
        <Num value={totalNotional} digits={2} reason={UNKNOWN} />
      </Fact>
      <Fact label="Fees, USD" field="fees">
        <Num value={fees} digits={2} reason="the fee of a fill is unknown" />
      </Fact>
      <Fact label="Unpriced positions" field="unpriced">
        <Num value={unpriced} />
      </Fact>
      <Fact label="Coverage" field="coverage">
        <CoverageMark coverage={coverage} />
      </Fact>
    </dl>
  );
}
