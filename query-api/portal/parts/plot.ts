/** Draws a chart with uPlot: colours of the theme, and each line named at its end instead of in a legend. */
import uPlot from 'uplot';
import { decimalText } from '../format/number.ts';
import type { ChartData } from '../format/series.ts';
import { clockText, momentText } from '../format/time.ts';
import type { ChartOptions } from './chart.tsx';

const HEIGHT = 240;
const NARROW_HEIGHT = 200;
const NARROW = 480;
const LABEL_WIDTH = 112;
/** Least distance of two ticks of the time axis: the width of 12:10:05 and a gap. */
const TICK_SPACE = 76;
const DAY_SECONDS = 86_400;
const FONT = '12px system-ui, sans-serif';
const SERIES_COLORS = ['--accent', '--warn', '--up', '--down', '--ink-muted'];

interface PlotOptions extends ChartOptions {
  readonly isUtc: boolean;
  readonly look: 'light' | 'dark';
}

/** The colour that a custom property has in the current theme, as the canvas understands it. */
function colorOf(box: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const alignedOf = ({ times, series }: ChartData): uPlot.AlignedData =>
  [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])] as uPlot.AlignedData;

/** Writes the name of each line beside its newest value; names that would overlap move down. */
function nameLines(plot: uPlot, labels: readonly string[], colors: readonly string[]): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const places = labels
    .map((label, index) => {
      const value = (plot.data[index + 1] as (number | null)[]).findLast((value) => value !== null);
      return { label, color: colors[index]!, y: value == null ? null : plot.valToPos(value, 'y', true) };
    })
    .filter((place): place is { label: string; color: string; y: number } => place.y !== null)
    .sort((a, b) => a.y - b.y);
  ctx.save();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  let lowest = Number.NEGATIVE_INFINITY;
  for (const { label, color, y } of places) {
    lowest = Math.max(y, lowest + 15 * ratio);
    ctx.fillStyle = color;
    ctx.fillText(label, bbox.left + bbox.width + 6 * ratio, lowest, (LABEL_WIDTH - 8) * ratio);
  }
  ctx.restore();
}

/** The text of a tick of the time axis, as exact as the distance of the ticks in seconds. */
function tickText(seconds: number, step: number, isUtc: boolean): string {
  const ms = seconds * 1_000;
  if (step >= DAY_SECONDS) return momentText(ms, isUtc).slice(5, 10);
  const clock = clockText(ms, isUtc);
  return step >= 60 ? clock.slice(0, 5) : clock;
}

/** Bars begin at zero, and the first and the last one have room for their whole width. */
function barScales(times: readonly number[]): uPlot.Scales {
  const half = times.length < 2 ? DAY_SECONDS / 2 : (times[1]! - times[0]!) / 2_000;
  return {
    x: { range: (_plot, min, max) => [min - half, max + half] },
    y: { range: (_plot, _min, max) => [0, max <= 0 ? 1 : max * 1.08] },
  };
}

/** Points stand on zero, with room beside the first and the last one, also if there is only one. */
function pointScales(): uPlot.Scales {
  return {
    x: {
      range: (_plot, min, max) => {
        const room = Math.max((max - min) * 0.05, 5);
        return [min - room, max + room];
      },
    },
    y: { range: (_plot, _min, max) => [0, max <= 0 ? 1 : max * 1.2] },
  };
}

export function drawPlot(box: HTMLElement, data: ChartData, options: PlotOptions) {
  const { digits, kind, isUtc } = options;
  const [ink, line] = [colorOf(box, '--ink-muted'), colorOf(box, '--line')];
  const colors = data.series.map((_, index) => colorOf(box, SERIES_COLORS[index % SERIES_COLORS.length]!));
  const isNamed = data.series.length > 1;
  const sizeOf = () => ({
    width: Math.max(box.clientWidth, 1),
    height: box.clientWidth < NARROW ? NARROW_HEIGHT : HEIGHT,
  });
  const paths =
    kind === 'bars'
      ? uPlot.paths.bars!({ size: [0.7, 48] })
      : kind === 'steps'
        ? uPlot.paths.stepped!({ align: 1 })
        : kind === 'points'
          ? () => null
          : null;
  const axis = { stroke: ink, font: FONT, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const plot = new uPlot(
    {
      ...sizeOf(),
      padding: [8, isNamed ? LABEL_WIDTH : 8, 0, 0],
      legend: { show: false },
      cursor: { points: { size: 6 } },
      ...(isUtc ? { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') } : {}),
      scales: kind === 'bars' ? barScales(data.times) : kind === 'points' ? pointScales() : {},
      axes: [
        {
          ...axis,
          space: TICK_SPACE,
          values: (_plot, ticks, _axis, _space, step) => ticks.map((tick) => tickText(tick, step, isUtc)),
        },
        { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => decimalText(tick, digits)) },
      ],
      series: [
        {},
        ...data.series.map(({ label }, index) => ({
          label,
          stroke: colors[index]!,
          width: 1.5,
          spanGaps: false,
          ...(kind === 'points' ? { points: { show: true, size: 9, fill: colors[index]! } } : {}),
          ...(kind === 'bars' ? { fill: colors[index]!, points: { show: false } } : {}),
          ...(paths ? { paths } : {}),
        })),
      ],
      hooks: {
        draw: isNamed
          ? [
              (self: uPlot) =>
                nameLines(
                  self,
                  data.series.map(({ label }) => label),
                  colors,
                ),
            ]
          : [],
      },
    },
    alignedOf(data),
    box,
  );
  const observer = new ResizeObserver(() => plot.setSize(sizeOf()));
  observer.observe(box);
  return {
    update: (next: ChartData) => plot.setData(alignedOf(next)),
    close: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}
