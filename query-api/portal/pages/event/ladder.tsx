/** What the arbitrage of an event earns at each size, up to which size it earns anything, and why it has no quote. */
import { isQuoted, type Ladder, ladderChart, shownUntil } from '../../format/ladder.ts';
import { digitsOf } from '../../format/number.ts';
import { spanText } from '../../format/time.ts';
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { place, setQuery } from '../../shell/router.ts';
import { noEdgeReason } from './board.ts';
import { EVERY_MS } from './intervals.ts';
import { apiPath, OLD_QUOTE_MS } from './shapes.ts';

const KINDS = [
  ['cross_provider', 'Buy on one venue, sell on the other'],
  ['negation_pair', 'Buy YES and NO'],
] as const;
/** As many sizes as the route allows, closer to each other where books are thick. */
const DEFAULT_SIZES = '10,25,50,75,100,150,200,300,400,500,750,1000,1500,2000,2500,3000,4000,5000,7500,10000';
/** The most decimals of a size; the exact one is shown on hover. */
const SIZE_DIGITS = 2;
const NO_PROFIT = 'no size earns anything';

export function LadderPanel({ id }: { readonly id: string }) {
  const kind = chosen('kind', KINDS);
  const sizes = place.value.query.get('sizes') ?? DEFAULT_SIZES;
  const query = new URLSearchParams({ kind, sizes });
  const read = useResource<Ladder>(apiPath(id, `arbitrage/ladder?${query}`), EVERY_MS.ladder, true);
  const missing = read.data.value?.rows.find((row) => !isQuoted(row));
  return (
    <Panel
      title="Profit by size"
      resource={read}
      isEmpty={({ rows }) => !rows.some(isQuoted)}
      empty={`No size has a quote: ${noEdgeReason(missing && !isQuoted(missing) ? missing.reason : null)}.`}
      actions={
        <div class="filters">
          <Choice name="kind" label="Kind" options={KINDS} />
          <label class="long">
            Sizes, shares
            <input
              type="text"
              name="sizes"
              data-action="sizes"
              spellcheck={false}
              value={sizes}
              onChange={({ currentTarget }) => {
                // Spaces make a list easier to type; the route has none.
                const typed = currentTarget.value.replaceAll(/\s/g, '');
                setQuery({ sizes: typed === DEFAULT_SIZES ? null : typed });
              }}
            />
          </label>
        </div>
      }
    >
      {(ladder) => {
        const chart = ladderChart(ladder, noEdgeReason);
        const end = shownUntil(chart);
        return (
          <>
            <Summary ladder={ladder} />
            <Chart name="ladder" caption="Profit after fees, USD" kind="ladder" digits={2} data={chart} />
            {end !== null && ladder.rows.some((row) => isQuoted(row) && row.size > end) && (
              <p class="muted">The table has the losses of larger sizes too.</p>
            )}
            <Missing ladder={ladder} />
          </>
        );
      }}
    </Panel>
  );
}

function Summary({ ladder: { bestSize, breakEvenSize, quoteAgeMs } }: { readonly ladder: Ladder }) {
  const isOld = quoteAgeMs !== null && quoteAgeMs > OLD_QUOTE_MS;
  return (
    <dl class="facts tiles">
      <Fact label="Best size, shares" field="bestSize" isOld={isOld}>
        <Num value={bestSize} digits={digitsOf([bestSize], SIZE_DIGITS)} reason={NO_PROFIT} />
      </Fact>
      <Fact label="Break-even size, shares" field="breakEvenSize" isOld={isOld}>
        <Num value={breakEvenSize} digits={digitsOf([breakEvenSize], SIZE_DIGITS)} reason={NO_PROFIT} />{' '}
      </Fact>
      <Fact label="Older quote" field="quoteAgeMs" isOld={isOld}>
        {quoteAgeMs === null ? <Unknown reason="no pair of markets can be quoted" /> : `${spanText(quoteAgeMs)} old`}
      </Fact>
    </dl>
  );
}

/** Why the larger sizes have no quote. */
function Missing({ ladder: { rows } }: { readonly ladder: Ladder }) {
  const missing = rows.flatMap((row) => (isQuoted(row) ? [] : [row]));
  if (missing.length === 0) return null;
  const least = Math.min(...missing.map(({ size }) => size));
  return (
    <p class="muted">
      From {least.toLocaleString('en-US')} shares on there is no quote: {noEdgeReason(missing[0]!.reason)}.
    </p>
  );
}
