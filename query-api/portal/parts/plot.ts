/** Draws a chart with uPlot: colours of the theme, and each line named at its end instead of in a legend. */
import uPlot from 'uplot';
import { decimalText, digitsOf } from '../format/number.ts';
import type { ChartData } from '../format/series.ts';
import { clockText, momentText } from '../format/time.ts';
import type { ChartOptions } from './chart.tsx';
import { type ColorOf, KINDS, LABEL_WIDTH, nameLines, SERIES_COLORS } from './plot-kinds.ts';

const HEIGHT = 240;
const NARROW_HEIGHT = 200;
const NARROW = 480;
/** Least distance of two ticks of the lower axis: the width of 12:10:05, or of 100,000.5, and a gap. */
const TICK_SPACE = 76;
/** Widths of a digit and of the gap beside the texts of the left axis. */
const DIGIT_WIDTH = 7;
const AXIS_GAP = 15;
const DAY_SECONDS = 86_400;
const FONT = '12px system-ui, sans-serif';

interface PlotOptions extends ChartOptions {
  readonly isUtc: boolean;
  readonly look: 'light' | 'dark';
}

/** Colours that custom properties have in the current theme. */
function colorsOf(box: HTMLElement): ColorOf {
  return (property, percent = 100) => {
    const probe = document.createElement('span');
    probe.style.color = `color-mix(in srgb, var(${property}) ${percent}%, transparent)`;
    box.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

/** uPlot's times are seconds. */
function alignedOf(data: ChartData): uPlot.AlignedData {
  const places = 'times' in data ? data.times.map((time) => time / 1_000) : [...data.axis.values];
  return [places, ...data.series.map(({ values }) => [...values])] as uPlot.AlignedData;
}

/** The text of a tick of the time axis, as exact as the distance of the ticks in seconds. */
function tickText(seconds: number, step: number, isUtc: boolean): string {
  const ms = seconds * 1_000;
  if (step >= DAY_SECONDS) return momentText(ms, isUtc).slice(5, 10);
  const clock = clockText(ms, isUtc);
  return step >= 60 ? clock.slice(0, 5) : clock;
}

/** Texts of the ticks of a linear axis, as exact as the ticks are. */
function numberTexts(ticks: readonly number[], maxDigits: number): string[] {
  const digits = digitsOf(ticks, maxDigits);
  return ticks.map((tick) => decimalText(tick, digits));
}

/** The lower axis: times, or the numbers of the chart. */
function lowerAxis(data: ChartData, isUtc: boolean): Partial<uPlot.Axis> {
  if ('axis' in data) return { values: (_plot, ticks) => numberTexts(ticks, data.axis.digits) };
  return { values: (_plot, ticks, _axis, _space, step) => ticks.map((tick) => tickText(tick, step, isUtc)) };
}

export function drawPlot(box: HTMLElement, data: ChartData, options: PlotOptions) {
  const { digits, isUtc } = options;
  const kind = KINDS[options.kind];
  const colorOf = colorsOf(box);
  const properties = kind.colors ?? SERIES_COLORS;
  const propertyOf = (index: number) => properties[index % properties.length]!;
  const colors = data.series.map((_, index) => colorOf(propertyOf(index)));
  const labels = data.series.map(({ label }) => label);
  const isNamed = labels.length > 1;
  const drawNames = kind.drawNames ?? nameLines;
  const sizeOf = () => ({
    width: Math.max(box.clientWidth, 1),
    height: box.clientWidth < NARROW ? NARROW_HEIGHT : HEIGHT,
  });
  const axis = {
    stroke: colorOf('--ink-muted'),
    font: FONT,
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  const scales = kind.scales?.(data) ?? {};
  const plot = new uPlot(
    {
      ...sizeOf(),
      padding: [8, isNamed && drawNames === nameLines ? LABEL_WIDTH : 8, 0, 0],
      legend: { show: false },
      cursor: { points: { size: 6 } },
      ...(isUtc ? { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') } : {}),
      scales: { ...scales, x: { ...scales.x, time: 'times' in data } },
      axes: [
        { ...axis, space: TICK_SPACE, ...lowerAxis(data, isUtc) },
        {
          ...axis,
          size: (_plot, texts) => Math.max(4, ...(texts ?? []).map(({ length }) => length)) * DIGIT_WIDTH + AXIS_GAP,
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
      hooks: { draw: isNamed ? [(self: uPlot) => drawNames(self, labels, colors)] : [] },
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
