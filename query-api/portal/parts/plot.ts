/** Draws a chart with uPlot: colours of the theme, and each line named at its end instead of in a legend. */
import uPlot from 'uplot';
import { decimalText, digitsOf } from '../format/number.ts';
import type { ChartData } from '../format/series.ts';
import type { Span } from '../format/span.ts';
import { tickTexts } from '../format/time.ts';
import type { ChartOptions, ChartView } from './chart.tsx';
import { colorsOf } from './plot-colors.ts';
import { KINDS, LABEL_WIDTH, nameLines, SERIES_COLORS, timeScale } from './plot-kinds.ts';
import { drawMarks, drawShades } from './plot-marks.ts';
import { followPointers } from './plot-move.ts';

/** Least distance of two ticks of the lower axis: the width of 12:10:05, or of 100,000.5, and a gap. */
const TICK_SPACE = 76;
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];
/** Distances of the ticks of a time axis, s: those of uPlot without parts of a second, which no text states. */
const TICK_STEPS = [
  ...[1, 5, 10, 15, 30],
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 30, 60, 90, 120, 180, 365, 730, 1_825].map((days) => days * DAY),
];
/** Widths of a digit and of the gap beside the texts of the left axis. */
const DIGIT_WIDTH = 7;
const AXIS_GAP = 15;
/** Height of the texts of the lower axis, and least distance of two ticks of the left axis. */
const AXIS_HEIGHT = 28;
/** Height of a further line of these texts: the day below the hour. */
const AXIS_LINE = 18;
const LEFT_TICK_SPACE = 32;
/** Right of the plot: room for half a text of the lower axis. */
const MARGIN = 24;
const FONT = '12px system-ui, sans-serif';

interface PlotOptions extends ChartOptions {
  readonly isUtc: boolean;
  readonly look: 'light' | 'dark';
  readonly view: ChartView | undefined;
}

/** Charts that show a span have one pointer: each shows where it is on the others. */
const POINTER = 'span';

/** uPlot's times are seconds. */
function alignedOf(data: ChartData): uPlot.AlignedData {
  const places = 'times' in data ? data.times.map((time) => time / 1_000) : [...data.axis.values];
  return [places, ...data.series.map(({ values }) => [...values])] as uPlot.AlignedData;
}

/** The ends of the axis for a span: a bucket stands in the middle of its place, so that each is shown as a whole. */
function secondsOf(data: ChartData, { from, to }: Span): [number, number] {
  const half = 'times' in data ? (data.stepMs ?? 0) / 2 : 0;
  return [(from - half) / 1_000, (to - half) / 1_000];
}

/** Texts of the ticks of a linear axis, as exact as the ticks are. */
function numberTexts(ticks: readonly number[], maxDigits: number): string[] {
  const digits = digitsOf(ticks, maxDigits);
  return ticks.map((tick) => decimalText(tick, digits));
}

/** The lower axis: times, or the numbers of the chart. */
function lowerAxis(data: ChartData, isUtc: boolean): Partial<uPlot.Axis> {
  if ('axis' in data) return { values: (_plot, ticks) => numberTexts(ticks, data.axis.digits) };
  return {
    incrs: TICK_STEPS,
    values: (_plot, ticks, _axis, _space, step) => tickTexts(ticks, step, isUtc),
    size: (_plot, texts) => AXIS_HEIGHT + (texts?.some((text) => text.includes('\n')) ? AXIS_LINE : 0),
  };
}

export function drawPlot(box: HTMLElement, data: ChartData, options: PlotOptions) {
  const { digits, isUtc } = options;
  const kind = KINDS[options.kind];
  const colorOf = colorsOf(box);
  const properties = kind.colors?.(data.series.length) ?? SERIES_COLORS;
  const propertyOf = (index: number) => properties[index % properties.length]!;
  const colors = data.series.map((_, index) => colorOf(propertyOf(index)));
  const labels = data.series.map(({ label }) => label);
  const isNamed = labels.length > 1 && !kind.isWithoutLines;
  const drawNames = kind.drawNames ?? nameLines;
  const sizeOf = () => ({ width: Math.max(box.clientWidth, 1), height: box.clientHeight });
  let drawn = data;
  let span = options.view?.span;
  const axis = {
    stroke: colorOf('--ink-muted'),
    font: FONT,
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  const scales = kind.scales?.(() => drawn) ?? {};
  const plot = new uPlot(
    {
      ...sizeOf(),
      padding: [8, isNamed && drawNames === nameLines ? LABEL_WIDTH : MARGIN, 0, 0],
      legend: { show: false },
      cursor: {
        points: kind.isWithoutLines ? { show: false } : { size: 6 },
        ...(options.view ? { drag: { x: false, y: false }, sync: { key: POINTER } } : {}),
      },
      ...(isUtc ? { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') } : {}),
      scales: {
        ...scales,
        x: {
          ...('times' in data ? timeScale(() => drawn) : {}),
          ...scales.x,
          time: 'times' in data,
          ...(span ? { range: () => secondsOf(drawn, span!) } : {}),
        },
      },
      axes: [
        { ...axis, space: TICK_SPACE, size: AXIS_HEIGHT, ...lowerAxis(data, isUtc) },
        {
          ...axis,
          space: LEFT_TICK_SPACE,
          size: (_plot, texts) =>
            Math.max(options.axisLength ?? 4, ...(texts ?? []).map(({ length }) => length)) * DIGIT_WIDTH + AXIS_GAP,
          values: (_plot, ticks) => numberTexts(ticks, digits),
        },
      ],
      series: [
        {},
        ...labels.map((label, index) => ({
          label,
          stroke: colors[index]!,
          width: 1.5,
          spanGaps: false,
          ...kind.series?.(index, colors[index]!, propertyOf(index), colorOf),
        })),
      ],
      hooks: {
        drawClear: [(self: uPlot) => drawShades(self, drawn, colorOf)],
        draw: [
          (self: uPlot) => {
            kind.draw?.(self, drawn, colorOf);
            drawMarks(self, drawn, colorOf);
            if (isNamed) drawNames(self, labels, colors);
          },
        ],
        ...(options.view ? { setCursor: [(self: uPlot) => options.view!.onPoint(self.cursor.idx ?? null)] } : {}),
      },
    },
    alignedOf(data),
    box,
  );
  const observer = new ResizeObserver(() => plot.setSize(sizeOf()));
  observer.observe(box);
  const stopFollowing = options.view ? followPointers(plot, options.view.change) : () => {};
  return {
    /** Draws other data, or another span of the same. */
    update: (next: ChartData, nextSpan: Span | undefined) => {
      span = nextSpan;
      if (next === drawn && span) {
        const [min, max] = secondsOf(next, span);
        plot.setScale('x', { min, max });
      } else {
        drawn = next;
        plot.setData(alignedOf(next));
      }
    },
    close: () => {
      stopFollowing();
      observer.disconnect();
      plot.destroy();
    },
  };
}
