/** A chart with its caption, and the same values as a table behind a button. The code that draws loads when needed. */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { decimalText } from '../format/number.ts';
import { type ChartData, countBars, countGaps, countPoints, partOf, placesOf, stripsOf } from '../format/series.ts';
import type { Span } from '../format/span.ts';
import { momentText } from '../format/time.ts';
import { isUtc, theme } from '../shell/theme.ts';
import { Num } from './number.tsx';
import type { ChangeSpan } from './plot-move.ts';
import { Unknown } from './unknown.tsx';

export interface ChartOptions {
  readonly digits: number;
  readonly kind: 'line' | 'bars' | 'steps' | 'points' | 'depth' | 'ladder' | 'candles';
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

/** Tab index of the table: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const REACHABLE = 0;

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
          aria-pressed={isTable.value}
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

function ChartTable({ name, caption, data, digits }: Pick<ChartProps, 'name' | 'caption' | 'data' | 'digits'>) {
  const columns = [...data.series, ...(data.columns ?? [])];
  const reasonAt = (index: number) =>
    'axis' in data ? (data.missing?.[index] ?? 'no value here') : 'no value at this time';
  return (
    <section class="chart-table" aria-label={caption} tabIndex={REACHABLE}>
      <table class="plain" data-chart-table={name}>
        <thead>
          <tr>
            <th scope="col" class={'axis' in data ? 'number' : undefined}>
              {'axis' in data ? data.axis.label : 'Time'}
            </th>
            {columns.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
            {data.note && <th scope="col">{data.note.label}</th>}
          </tr>
        </thead>
        <tbody>
          {placesOf(data).map((place, index) => (
            <tr key={place}>
              <PlaceHeading data={data} place={place} />
              {columns.map(({ label, values, field, digits: own }) => (
                <td key={label} class="number" data-field={field}>
                  <Num value={values[index] ?? null} digits={own ?? digits} reason={reasonAt(index)} />
                </td>
              ))}
              {data.note && (
                <td data-field={data.note.field}>{data.note.values[index] ?? <Unknown reason="not stated" />}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PlaceHeading({ data, place }: { readonly data: ChartData; readonly place: number }) {
  if ('axis' in data)
    return (
      <th scope="row" class="number">
        {decimalText(place, data.axis.digits)}
      </th>
    );
  return (
    <th scope="row">
      <time dateTime={isoOf(place)}>{momentText(place, isUtc.value)}</time>
    </th>
  );
}
