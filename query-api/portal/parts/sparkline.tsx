/** A chart of the size of a word, for a cell of a list. A press shows its values as a table. */
import { useSignal } from '@preact/signals';
import { countGaps, countPoints, type TimeChart } from '../format/series.ts';
import { sparklinePaths } from '../format/sparkline.ts';
import { ChartTable } from './chart-table.tsx';
import { Dialog } from './dialog.tsx';
import { Unknown } from './unknown.tsx';

/** Size of the drawing in pixels. */
const SIZE = { width: 72, height: 28 };
/** Number of styles of lines in `styles/charts.css`. */
const LINES = 3;

interface SparklineProps {
  readonly caption: string;
  readonly data: TimeChart;
  readonly digits: number;
  /** Why there is no point. */
  readonly reason: string;
}

export function Sparkline({ caption, data, digits, reason }: SparklineProps) {
  const isOpen = useSignal(false);
  if (countPoints(data) === 0) return <Unknown reason={reason} />;
  return (
    <figure
      class="sparkline"
      data-chart="sparkline"
      data-points={countPoints(data)}
      data-gaps={countGaps(data)}
      data-from={new Date(data.times[0]!).toISOString()}
      data-to={new Date(data.times.at(-1)!).toISOString()}
    >
      <figcaption>{caption}</figcaption>
      <button
        type="button"
        data-action="table"
        aria-haspopup="dialog"
        aria-label={`${caption}, as a table`}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} width={SIZE.width} height={SIZE.height} aria-hidden="true">
          {sparklinePaths(data, SIZE).map((path, index) => (
            <path key={index} class={`line-${index % LINES}`} d={path} />
          ))}
        </svg>
      </button>
      {isOpen.value && (
        <Dialog
          name="sparkline"
          title={caption}
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <ChartTable name="sparkline" caption={caption} data={data} digits={digits} />
        </Dialog>
      )}
    </figure>
  );
}
