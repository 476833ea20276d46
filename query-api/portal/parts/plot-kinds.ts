/** What the kinds of charts differ in: how values are drawn, which room the scales have, and where names stand. */
import uPlot from 'uplot';
import { type ChartData, placesOf } from '../format/series.ts';
import type { ChartOptions } from './chart.tsx';
import { candleRange, drawCandles } from './plot-candles.ts';
import type { ColorOf } from './plot-colors.ts';

/** Draws on the canvas over the values. */
type Draw = (plot: uPlot, labels: readonly string[], colors: readonly string[]) => void;

interface Kind {
  /** Custom properties of the series in their order; other kinds have those of `SERIES_COLORS`. */
  readonly colors?: readonly string[];
  readonly series?: (index: number, color: string, property: string, colorOf: ColorOf) => Partial<uPlot.Series>;
  /** @param newest returns the data that are drawn, which change. */
  readonly scales?: (newest: () => ChartData) => uPlot.Scales;
  /** Draws what uPlot has no paths for. */
  readonly draw?: (plot: uPlot, data: ChartData, colorOf: ColorOf) => void;
  /** True if values are no lines: they have neither names at their ends nor points below the pointer. */
  readonly isWithoutLines?: boolean;
  /** Writes the names of several series; left out where they stand at the end of each line. */
  readonly drawNames?: Draw;
}

export const SERIES_COLORS = ['--accent', '--warn', '--up', '--down', '--ink-muted'];
/** Width beside the plot for the names of lines. */
export const LABEL_WIDTH = 112;
const LABEL_HEIGHT = 15;
const DAY_SECONDS = 86_400;
/** Opacity of the area below the depth of a book, per cent. */
const AREA_PERCENT = 18;

/** Prepares the canvas for text, in pixels of the screen. */
function withText(plot: uPlot, draw: (ctx: CanvasRenderingContext2D, ratio: number) => void): void {
  const { ctx } = plot;
  ctx.save();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  draw(ctx, devicePixelRatio);
  ctx.restore();
}

/** Writes the name of each line beside its newest value; names that would overlap move down. */
export const nameLines: Draw = (plot, labels, colors) => {
  const { bbox } = plot;
  const places = labels
    .map((label, index) => {
      const value = (plot.data[index + 1] as (number | null)[]).findLast((value) => value !== null);
      return { label, color: colors[index]!, y: value == null ? null : plot.valToPos(value, 'y', true) };
    })
    .filter((place): place is { label: string; color: string; y: number } => place.y !== null)
    .sort((a, b) => a.y - b.y);
  withText(plot, (ctx, ratio) => {
    ctx.textAlign = 'left';
    let lowest = Number.NEGATIVE_INFINITY;
    for (const { label, color, y } of places) {
      lowest = Math.max(y, lowest + LABEL_HEIGHT * ratio);
      ctx.fillStyle = color;
      ctx.fillText(label, bbox.left + bbox.width + 6 * ratio, lowest, (LABEL_WIDTH - 8) * ratio);
    }
  });
};

/** Writes the names of the two sides of a book in the middle, each towards its side: there both are lowest. */
const nameSides: Draw = (plot, labels, colors) => {
  const [below, above] = [plot.data[1], plot.data[2]] as (number | null)[][];
  const [bid, ask] = [below!.findLastIndex((size) => size !== null), above!.findIndex((size) => size !== null)];
  withText(plot, (ctx, ratio) => {
    for (const [side, at] of [bid, ask].entries()) {
      if (at < 0) continue;
      ctx.textAlign = side === 0 ? 'right' : 'left';
      ctx.fillStyle = colors[side]!;
      const x = plot.valToPos(plot.data[0][at]!, 'x', true) + (side === 0 ? -6 : 6) * ratio;
      ctx.fillText(labels[side]!, x, plot.bbox.top + 10 * ratio);
    }
  });
};

/** From zero, with room above the largest value. */
const fromZero = (room: number): uPlot.Scale => ({
  range: (_plot, _min, max) => [0, max === null || max <= 0 ? 1 : max * room],
});

/** The first and the last bar have room for their whole width. */
function barScales(newest: () => ChartData): uPlot.Scales {
  return {
    x: {
      range: (_plot, min, max) => {
        const [first, second] = placesOf(newest());
        const half = first === undefined || second === undefined ? DAY_SECONDS / 2 : (second - first) / 2_000;
        return [min - half, max + half];
      },
    },
    y: fromZero(1.08),
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
    y: fromZero(1.2),
  };
}

/** Ends at the outermost prices; a single price has room on both sides. */
function depthScales(): uPlot.Scales {
  return {
    x: { range: (_plot, min, max) => (min < max ? [min, max] : [min * 0.99, max * 1.01]) },
    y: fromZero(1.15),
  };
}

export const KINDS: Readonly<Record<ChartOptions['kind'], Kind>> = {
  line: {},
  steps: { series: () => ({ paths: uPlot.paths.stepped!({ align: 1 }) }) },
  bars: {
    series: (_index, color) => ({
      paths: uPlot.paths.bars!({ size: [0.7, 48] }),
      fill: color,
      points: { show: false },
    }),
    scales: barScales,
  },
  points: {
    series: (_index, color) => ({ paths: () => null, points: { show: true, size: 9, fill: color } }),
    scales: pointScales,
  },
  depth: {
    colors: ['--up', '--down'],
    series: (index, _color, property, colorOf) => ({
      // A bid's size can be sold at its price or below, an ask's can be bought at its price or above.
      paths: uPlot.paths.stepped!({ align: index === 0 ? -1 : 1 }),
      fill: colorOf(property, AREA_PERCENT),
      points: { show: false },
    }),
    scales: depthScales,
    drawNames: nameSides,
  },
  candles: {
    series: () => ({ paths: () => null, points: { show: false } }),
    scales: (newest) => ({ y: { range: (plot, min, max) => candleRange(plot, newest(), min, max) } }),
    draw: drawCandles,
    isWithoutLines: true,
  },
};
