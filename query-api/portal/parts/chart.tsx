/** A chart with its caption, and the same values as a table behind a button. The code that draws loads when needed. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { decimalText } from '../format/number.ts';
import { type ChartData, countGaps, placesOf } from '../format/series.ts';
import { momentText } from '../format/time.ts';
import { isUtc, theme } from '../shell/theme.ts';
import { Unknown } from './unknown.tsx';

export interface ChartOptions {
  readonly digits: number;
  readonly kind: 'line' | 'bars' | 'steps' | 'points' | 'depth';
}

interface ChartProps extends ChartOptions {
  /** `data-chart` (contract, Portal). */
  readonly name: string;
  readonly caption: string;
  readonly data: ChartData;
}

/** Tab index of the table: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const REACHABLE = 0;

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A place as the attributes of the figure state it. */
function placeText(data: ChartData, place: number | undefined): string {
  if (place === undefined) return '';
  return 'times' in data ? isoOf(place) : String(place);
}

export function Chart({ name, caption, data, digits, kind }: ChartProps) {
  const isTable = useSignal(false);
  const places = placesOf(data);
  return (
    <figure
      class="chart"
      data-chart={name}
      data-points={data.series.reduce((sum, { values }) => sum + values.filter((value) => value !== null).length, 0)}
      data-gaps={countGaps(data)}
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
      {isTable.value ? (
        <ChartTable name={name} caption={caption} data={data} digits={digits} />
      ) : (
        <Plot key={data.series.map(({ label }) => label).join('\n')} data={data} digits={digits} kind={kind} />
      )}
    </figure>
  );
}

function Plot({ data, digits, kind }: { readonly data: ChartData } & ChartOptions) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ readonly update: (data: ChartData) => void; readonly close: () => void } | null>(null);
  const newest = useRef(data);
  newest.current = data;
  useEffect(() => drawn.current?.update(data), [data]);
  useSignalEffect(() => {
    // Another theme or zone draws anew.
    const [look, zone] = [theme.value, isUtc.value];
    let isClosed = false;
    void import('./plot.ts').then(({ drawPlot }) => {
      if (isClosed || box.current === null) return;
      drawn.current = drawPlot(box.current, newest.current, { digits, kind, isUtc: zone, look });
    });
    return () => {
      isClosed = true;
      drawn.current?.close();
      drawn.current = null;
    };
  });
  return <div class="plot" ref={box} aria-hidden="true" />;
}

function ChartTable({ name, caption, data, digits }: Pick<ChartProps, 'name' | 'caption' | 'data' | 'digits'>) {
  return (
    <section class="chart-table" aria-label={caption} tabIndex={REACHABLE}>
      <table class="plain" data-chart-table={name}>
        <thead>
          <tr>
            <th scope="col" class={'axis' in data ? 'number' : undefined}>
              {'axis' in data ? data.axis.label : 'Time'}
            </th>
            {data.series.map(({ label }) => (
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
              {data.series.map(({ label, values }) => {
                const value = values[index] ?? null;
                return (
                  <td key={label} class="number">
                    {value === null ? <Unknown reason={'axis' in data ? 'no value here' : 'no value at this time'} /> : decimalText(value, digits)}
                  </td>
                );
              })}
              {data.note && (
                <td data-field={data.note.label.toLowerCase()}>
                  {data.note.values[index] ?? <Unknown reason="not stated" />}
                </td>
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
