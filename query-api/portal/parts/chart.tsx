/** A chart with its caption, and the same values as a table behind a button. The code that draws loads when needed. */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { decimalText } from '../format/number.ts';
import { type ChartData, countBars, countGaps, countPoints, partOf, placesOf, stripsOf } from '../format/series.ts';
import type { Span } from '../format/span.ts';
import { isUtc, theme } from '../shell/theme.ts';
import { ChartTable } from './chart-table.tsx';
import type { ChangeSpan } from './plot-move.ts';

export interface ChartOptions {
  readonly digits: number;
  readonly kind: 'line' | 'trades' | 'bars' | 'steps' | 'points' | 'depth' | 'ladder' | 'candles';
  /** Characters for which the left axis has room at least, so that charts one below the other are aligned. */
  readonly axisLength?: number;
}

/** The part of the time axis that a chart shows, and what changes it. */
export interface ChartView {
  readonly span: Span;
  readonly change: ChangeSpan;
  /** Called with the index of the time below the pointer; null when the pointer leaves. */
  readonly onPoint: (index: number | null) => void;
}

interface ChartProps extends ChartOptions {
  /** `data-chart` (contract, Portal). */
  readonly name: string;
  readonly caption: string;
  readonly data: ChartData;
  /** Left out for a chart that shows everything. */
  readonly view?: ChartView;
  readonly height?: 'low' | 'tall';
  /** Shown between the caption and the drawing. */
  readonly children?: ComponentChildren;
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A place as the attributes of the figure state it. */
function placeText(data: ChartData, place: number | undefined): string {
  if (place === undefined) return '';
  return 'times' in data ? isoOf(place) : String(place);
}

export function Chart({ name, caption, data, view, height, children, ...options }: ChartProps) {
  const isTable = useSignal(false);
  const shown = view && 'times' in data ? partOf(data, view.span) : data;
  const places = placesOf(shown);
  // The figures of a candle are one point.
  const counted = { ...shown, series: options.kind === 'candles' ? shown.series.slice(0, 1) : shown.series };
  return (
    <figure
      class="chart"
      data-chart={name}
      data-points={countPoints(counted)}
      data-gaps={countGaps(counted)}
      data-from={placeText(data, places[0])}
      data-to={placeText(data, places.at(-1))}
    >
      <figcaption>
        <h2>{caption}</h2>
        <button
          type="button"
          data-action="table"
          onClick={() => {
            isTable.value = !isTable.value;
          }}
        >
          {isTable.value ? 'Chart' : 'Table'}
        </button>
      </figcaption>
      {children}
      {isTable.value ? (
        <ChartTable name={name} caption={caption} data={shown} digits={options.digits} />
      ) : (
        <Plot
          key={data.series.map(({ label }) => label).join('\n')}
          data={data}
          view={view}
          height={height}
          {...options}
        />
      )}
      {options.kind === 'candles' && <Strips data={data} shown={shown} />}
    </figure>
  );
}

/** The meaning of each strip below the candles, and the number of bars in it. */
function Strips({ data, shown }: { readonly data: ChartData; readonly shown: ChartData }) {
  const strips = stripsOf(data);
  if (strips.length === 0) return null;
  return (
    <ul class="strips" aria-label={`${data.note!.label} of the bars, in the order of the strips`}>
      {strips.map(({ source, meaning, form }) => (
        <li key={source}>
          <span class={`swatch form-${form}`} aria-hidden="true" />
          {meaning}
          <span class="muted">
            {source !== null && <code>{source}</code>} · {decimalText(countBars(shown, source), 0)} bars
          </span>
        </li>
      ))}
    </ul>
  );
}

interface PlotProps extends ChartOptions {
  readonly data: ChartData;
  readonly view: ChartView | undefined;
  readonly height: ChartProps['height'] | undefined;
}

function Plot({ data, view, height, ...options }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<ReturnType<typeof import('./plot.ts').drawPlot> | null>(null);
  const newest = useRef({ data, view });
  newest.current = { data, view };
  useEffect(() => drawn.current?.update(data, view?.span), [data, view?.span.from, view?.span.to]);
  useSignalEffect(() => {
    // Another theme or zone draws anew.
    const [look, zone] = [theme.value, isUtc.value];
    let isClosed = false;
    void import('./plot.ts').then(({ drawPlot }) => {
      if (isClosed || box.current === null) return;
      const { data, view } = newest.current;
      drawn.current = drawPlot(box.current, data, { ...options, isUtc: zone, look, view });
    });
    return () => {
      isClosed = true;
      drawn.current?.close();
      drawn.current = null;
    };
  });
  const classes = ['plot', height, view && 'movable'].filter(Boolean).join(' ');
  return <div class={classes} ref={box} aria-hidden="true" />;
}
