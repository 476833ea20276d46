import { type Candle, pricesOf } from '../../format/series.ts';
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { apiPath } from './shapes.ts';

const REFRESH_MS = 10_000;
const INTERVALS = [
  ['1m', '1 minute'],
  ['5m', '5 minutes'],
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
] as const;

/** Price history of every leg, from its trades. */
export function History({ id }: { readonly id: string }) {
  const interval = chosen('interval', INTERVALS);
  const path = apiPath(id, `candles?interval=${interval}&limit=500`);
  const candles = useResource<{ readonly candles: readonly Candle[] }>(path, REFRESH_MS, true);
  return (
    <Panel
      title="History"
      resource={candles}
      isEmpty={(data) => data.candles.length === 0}
      empty="No trade of this event was recorded yet. A bar appears with the first one."
    >
      {(data) => (
        <>
          <div class="filters">
            <Choice name="interval" label="Interval" options={INTERVALS} />
          </div>
          <Chart
            name="prices"
            caption="Closing price of each market"
            kind="line"
            digits={3}
            data={pricesOf(data.candles)}
          />
        </>
      )}
    </Panel>
  );
}
