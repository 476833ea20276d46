/** Candles and volume of a market, which can be moved and zoomed. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { compactText, decimalText } from '../../format/number.ts';
import { readSpan, shifted, zoomed } from '../../format/span.ts';
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useKeys } from '../../shell/page-keys.ts';
import { type Bar, candlesOf, digitsOfBars, INTERVALS, limitsOf, newestSpan, rangesOf, volumeOf } from './candles.ts';
import { EVERY_MS } from './intervals.ts';
import { Readout } from './readout.tsx';
import { type ShownSpan, SPAN_PARAMETERS, useShownSpan } from './shown-span.ts';

const CHOICES = INTERVALS.map(([value, text]) => [value, text] as const);
/** Bars that are read beside those of the newest range, so that a small move needs no other read. */
const MARGIN = 1.5;
const LIMIT_MAX = 5_000;
/** Part of the width by which a step moves, and the factor by which one zooms. */
const STEP = 0.2;
const ZOOM = 1.5;

export function History({ path }: { readonly path: string }) {
  const interval = chosen('interval', CHOICES);
  return <Bars key={interval} path={path} interval={interval} />;
}

interface BarsProps {
  /** The path of the market's REST routes. */
  readonly path: string;
  readonly interval: string;
}

function Bars({ path, interval }: BarsProps) {
  const stepMs = INTERVALS.find(([value]) => value === interval)![2];
  const ranges = rangesOf(stepMs);
  const range = chosen(
    'range',
    ranges.map(([value, text]) => [value, text] as const),
  );
  const rangeMs = ranges.find(([value]) => value === range)![2];
  const newest = () => newestSpan(read.data.peek()?.candles ?? [], stepMs, rangeMs, Date.now());
  const shown = useShownSpan(limitsOf(stepMs, Date.now()), newest);
  const read = useResource<{ readonly candles: readonly Bar[] }>(
    `${path}/candles?${queryOf(interval, stepMs, rangeMs, shown)}`,
    EVERY_MS.history,
    true,
  );
  const earlier = () => shown.change((span) => shifted(span, -STEP));
  const later = () => shown.change((span) => shifted(span, STEP));
  const zoomIn = () => shown.change((span) => zoomed(span, 1 / ZOOM));
  const zoomOut = () => shown.change((span) => zoomed(span, ZOOM));
  useKeys([
    {
      keys: ['ArrowLeft', 'ArrowRight'],
      shown: '←, →',
      text: 'earlier, later bars of the market',
      press: (key) => (key === 'ArrowLeft' ? earlier() : later()),
    },
    {
      keys: ['+', '=', '-'],
      shown: '+, −',
      text: 'fewer, more bars of the market',
      press: (key) => (key === '-' ? zoomOut() : zoomIn()),
    },
    { keys: ['0'], shown: '0', text: 'the newest bars of the market', press: shown.reset },
  ]);
  return (
    <Panel
      title="History"
      resource={read}
      isEmpty={({ candles }) => candles.length === 0 && shown.named === null}
      empty={`No bar of ${interval} is known yet. One appears with the first trade.`}
      actions={
        <div class="filters">
          <Choice name="interval" label="Interval" options={CHOICES} />
          <Choice
            name="range"
            label="Range"
            options={ranges.map(([value, text]) => [value, text] as const)}
            clears={SPAN_PARAMETERS}
          />
          <fieldset class="steps-of-chart" aria-label="Part of the history that is shown">
            <Step action="earlier" text="←" label="Earlier bars (key ←)" onClick={earlier} />
            <Step action="later" text="→" label="Later bars (key →)" onClick={later} />
            <Step action="zoom-out" text="−" label="More bars (key −)" onClick={zoomOut} />
            <Step action="zoom-in" text="+" label="Fewer bars (key +)" onClick={zoomIn} />
            <Step
              action="newest"
              text="Newest"
              label="Newest bars (key 0)"
              isDisabled={shown.named === null && shown.moving === null}
              onClick={shown.reset}
            />
          </fieldset>
        </div>
      }
    >
      {({ candles }) => (
        <Charts bars={candles} stepMs={stepMs} span={shown.moving ?? shown.named ?? newest()} change={shown.change} />
      )}
    </Panel>
  );
}

/** What is read: what the address names and more on both sides, or the newest bars. */
function queryOf(interval: string, stepMs: number, rangeMs: number, { named }: ShownSpan): string {
  if (named === null)
    return `interval=${interval}&limit=${Math.min(LIMIT_MAX, Math.ceil((rangeMs / stepMs) * MARGIN))}`;
  const { from, to } = readSpan(named, stepMs);
  return `interval=${interval}&start_time=${from}&end_time=${to}&limit=${LIMIT_MAX}`;
}

interface StepProps {
  readonly action: string;
  readonly text: string;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

function Step({ action, text, label, isDisabled = false, onClick }: StepProps) {
  return (
    <button type="button" data-action={action} title={label} aria-label={label} disabled={isDisabled} onClick={onClick}>
      {text}
    </button>
  );
}

interface ChartsProps extends Pick<ShownSpan, 'change'> {
  readonly bars: readonly Bar[];
  readonly stepMs: number;
  readonly span: { readonly from: number; readonly to: number };
}

function Charts({ bars, stepMs, span, change }: ChartsProps) {
  const point = useSignal<number | null>(null);
  const candles = useMemo(() => candlesOf(bars, stepMs), [bars, stepMs]);
  const volume = useMemo(() => volumeOf(bars, stepMs), [bars, stepMs]);
  const digits = useMemo(() => digitsOfBars(bars), [bars]);
  const view = {
    span,
    change,
    onPoint: (index: number | null) => {
      point.value = index;
    },
  };
  const axisLength = Math.max(
    ...bars.map(({ high }) => decimalText(high, digits.price).length),
    ...bars.map(({ volume }) => compactText(volume).length),
  );
  return (
    <>
      <Chart
        name="candles"
        caption="Price of each bar"
        kind="candles"
        height="tall"
        digits={digits.price}
        axisLength={axisLength}
        data={candles}
        view={view}
      >
        <Readout candles={candles} volume={volume} digits={digits} span={span} point={point} />
      </Chart>
      <Chart
        name="volume"
        caption="Volume of each bar"
        kind="bars"
        height="low"
        digits={digits.volume}
        axisLength={axisLength}
        data={volume}
        view={view}
      />
      <p class="muted">
        Drag or use ← and → to move, the wheel, two fingers or + and − to zoom. Rising bars are hollow, falling ones
        filled; where there is none, nothing was traded or nothing is known.
      </p>
    </>
  );
}
