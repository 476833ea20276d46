import { useMemo } from 'preact/hooks';
import {
  type EventHistory,
  edgeChart,
  type Happenings,
  marksOf,
  midsChart,
  spreadChart,
} from '../../format/event-history.ts';
import { type Candle, pricesOf } from '../../format/series.ts';
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { INTERVALS } from '../market/candles.ts';
import { EVERY_MS } from './intervals.ts';
import { apiPath } from './shapes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RANGES = [
  ['1h', '1 hour'],
  ['6h', '6 hours'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
] as const;
/** Length of a range, and the interval of its bars unless another one is chosen. */
const RANGE: Readonly<Record<string, { readonly ms: number; readonly interval: string }>> = {
  '1h': { ms: HOUR_MS, interval: '1m' },
  '6h': { ms: 6 * HOUR_MS, interval: '5m' },
  '24h': { ms: 24 * HOUR_MS, interval: '15m' },
  '7d': { ms: 168 * HOUR_MS, interval: '1h' },
};
const CHOICES = [['auto', 'Automatic'], ...INTERVALS.map(([name, text]) => [name, text] as const)] as const;
/** The most bars of all markets together that the route returns. */
const CANDLES_MAX = 5_000;
/** A page is not open for longer than this after its range was chosen: the end of what is read, so that charts grow. */
const OPEN_MS = 30 * 24 * HOUR_MS;

interface HistoryProps {
  readonly id: string;
  readonly happened: Happenings;
  /** Unix ms up to which the data reaches: in a recording and in the sandbox long before now. */
  readonly at: number;
}

/** Prices of trades of each leg, with what happened; and the mids, the spread and the edges that were published. */
export function History({ id, happened, at }: HistoryProps) {
  const range = chosen('range', RANGES);
  // Whole minutes, so that everybody who looks at the same time asks for the same; then fixed, so that the charts grow.
  const from = useMemo(() => (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS - RANGE[range]!.ms, [range]);
  return (
    <>
      <div class="filters">
        <Choice name="range" label="Range" options={RANGES} />
        <Choice name="interval" label="Interval of prices" options={CHOICES} />
      </div>
      <Prices id={id} from={from} happened={happened} />
      <Published id={id} from={from} at={at} />
    </>
  );
}

interface RangeProps {
  /** Unix ms of the start of the range. */
  readonly from: number;
}

function Prices({ id, from, happened }: Omit<HistoryProps, 'at'> & RangeProps) {
  const wanted = chosen('interval', CHOICES);
  const interval = wanted === 'auto' ? RANGE[chosen('range', RANGES)]!.interval : wanted;
  const stepMs = INTERVALS.find(([name]) => name === interval)![2];
  // With an end, the limit keeps the newest bars.
  const times = `start_time=${from}&end_time=${from + OPEN_MS}`;
  const path = apiPath(id, `candles?interval=${interval}&${times}&limit=${CANDLES_MAX}`);
  const candles = useResource<{ readonly candles: readonly Candle[] }>(path, EVERY_MS.candles, true);
  return (
    <Panel
      title="Prices of trades"
      resource={candles}
      isEmpty={(data) => data.candles.length === 0}
      empty="No trade of this event was recorded in this time. A bar appears with the first one."
    >
      {(data) => (
        <>
          <Chart
            name="prices"
            caption="Closing price of each market; a point is a bar with trades"
            kind="trades"
            digits={3}
            data={{ ...pricesOf(data.candles, stepMs), marks: marksOf(happened) }}
          />
          {data.candles.length >= CANDLES_MAX && (
            <p class="muted">
              The newest {CANDLES_MAX.toLocaleString('en-US')} bars are shown. Choose a longer interval to see the whole
              range.
            </p>
          )}
        </>
      )}
    </Panel>
  );
}

/** Mids, spread and edges as they were published. */
function Published({ id, from, at }: Omit<HistoryProps, 'happened'> & RangeProps) {
  const history = useResource<EventHistory>(apiPath(id, `history?from=${from}`), EVERY_MS.history, true);
  return (
    <Panel
      title="Spread and edges"
      resource={history}
      isEmpty={({ spreads }) => spreads.length === 0}
      empty="No price of this event was published in this time."
    >
      {(data) => (
        <div class="panels">
          <Chart name="prices" caption="Mid of each market" kind="steps" digits={3} data={midsChart(data, at)} />
          <Chart
            name="spread"
            caption="Largest distance of live mids"
            kind="steps"
            digits={4}
            data={spreadChart(data, at)}
          />
          {data.edges.length === 0 ? (
            <p class="muted">No edge above zero was published in this time.</p>
          ) : (
            <Chart name="edge" caption="Net edges above zero" kind="points" digits={4} data={edgeChart(data, at)} />
          )}
          <p class="muted">Shaded: the prices of a market were not live.</p>
        </div>
      )}
    </Panel>
  );
}
