/** Draws a chart of the size of a word as paths of SVG. */
import type { ChartSeries } from './series.ts';

/** Room for half of the width of a line, and for points. */
const EDGE = 2;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns a path for each series, all with the same scale, from the lowest value at the bottom to the highest at the
 * top. Nulls are gaps; a value between two gaps is a point. A series without values has an empty path.
 */
export function sparklinePaths(
  { times, series }: { readonly times: readonly number[]; readonly series: readonly ChartSeries[] },
  { width, height }: Size,
): string[] {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const [lowest, highest] = [Math.min(...known), Math.max(...known)];
  const [start, span] = [times[0]!, times.at(-1)! - times[0]!];
  const place = (part: number, length: number) => String(Math.round((EDGE + part * (length - 2 * EDGE)) * 10) / 10);
  const x = (time: number) => place(span === 0 ? 0.5 : (time - start) / span, width);
  const y = (value: number) => place(highest === lowest ? 0.5 : (highest - value) / (highest - lowest), height);
  return series.map(({ values }) =>
    values
      .map((value, index) => {
        if (value === null) return '';
        const to = `${x(times[index]!)} ${y(value)}`;
        const isFirst = (values[index - 1] ?? null) === null;
        // A line without length is drawn as a point, since its ends are round.
        return isFirst ? `M${to}${(values[index + 1] ?? null) === null ? 'h0' : ''}` : `L${to}`;
      })
      .join(''),
  );
}
