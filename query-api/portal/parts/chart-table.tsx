/** The values of a chart as a table. */

import { decimalText } from '../format/number.ts';
import { type ChartData, placesOf } from '../format/series.ts';
import { momentText } from '../format/time.ts';
import { isUtc } from '../shell/theme.ts';
import { Num } from './number.tsx';
import { Unknown } from './unknown.tsx';

/** Tab index of the table: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const REACHABLE = 0;

interface ChartTableProps {
  /** `data-chart-table` (contract, Portal). */
  readonly name: string;
  readonly caption: string;
  readonly data: ChartData;
  /** Decimals, where a series has none of its own. */
  readonly digits: number;
}

export function ChartTable({ name, caption, data, digits }: ChartTableProps) {
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
      <time dateTime={new Date(place).toISOString()}>{momentText(place, isUtc.value)}</time>
    </th>
  );
}
