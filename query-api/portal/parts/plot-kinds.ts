/** What the kinds of charts differ in: how values are drawn, which room the scales have, and where names stand. */
import uPlot from 'uplot';
import { shownUntil } from '../format/ladder.ts';
import { type ChartData, placesOf } from '../format/series.ts';
import { LABEL_GAP, LABEL_HEIGHT, withText } from './canvas-text.ts';
import type { ChartOptions } from './chart.tsx';
import { candleRange, drawCandles } from './plot-candles.ts';
import type { ColorOf } from './plot-colors.ts';

/** Draws on the canvas over the values. */
type Draw = (plot: uPlot, labels: readonly string[], colors: readonly string[]) => void;

interface Kind {
  /** Custom properties of so many series in their order; other kinds have those of `SERIES_COLORS`. */
  readonly colors?: (count: number) => readonly string[];
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
const DAY_SECONDS = 86_400;
/** Room on both sides of a single time. */
const ROOM_SECONDS = 30;
/** Opacity of the area below the depth of a book, per cent. */
const AREA_PERCENT = 18;

/**
 * Writes the name of each line beside its newest value; names that would overlap move down, and all of them up where the
 * last one would stand below the plot.
 */
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
    const height = LABEL_HEIGHT * ratio;
    let lowest = Number.NEGATIVE_INFINITY;
    const names = places.map((place) => {
      lowest = Math.max(place.y, lowest + height);
      return { ...place, y: lowest };
    });
    let highest = bbox.top + bbox.height + height / 2;
    for (const { label, color, y } of names.reverse()) {
      highest = Math.min(y, highest - height);
      ctx.fillStyle = color;
      ctx.fillText(label, bbox.left + bbox.width + 6 * ratio, highest, (LABEL_WIDTH - 8) * ratio);
    }
  });
};

/** The place nearest to a wanted one that is free, in steps up and down between two ends; the wanted one if none is. */
function nearestFree(
  wanted: number,
  step: number,
  from: number,
  to: number,
  isFree: (place: number) => boolean,
): number {
  for (let steps = 0; steps * step <= to - from; steps += 1)
    for (const place of [wanted - steps * step, wanted + steps * step])
      if (place >= from && place <= to && isFree(place)) return place;
  return wanted;
}

/** Writes the names of the sides of books at their outermost prices, where each is highest; none covers another. */
const nameSides: Draw = (plot, labels, colors) => {
  const [prices, ...sides] = plot.data as [number[], ...(number | null)[][]];
  const { bbox } = plot;
  const hasSize = (size: number | null) => size !== null;
  withText(plot, (ctx, ratio) => {
    const height = LABEL_HEIGHT * ratio;
    const written: { readonly left: number; readonly right: number; readonly y: number }[] = [];
    for (const [side, sizes] of sides.entries()) {
      const isBid = side % 2 === 0;
      const at = isBid ? sizes.findIndex(hasSize) : sizes.findLastIndex(hasSize);
      if (at < 0) continue;
      const price = plot.valToPos(prices[at]!, 'x', true);
      const width = ctx.measureText(labels[side]!).width + LABEL_GAP * 2 * ratio;
      // Beyond its last price if there is room, where the side hides nothing.
      const isBeyond = isBid ? price - width > bbox.left : price + width < bbox.left + bbox.width;
      const wanted = isBid === isBeyond ? price - width : price;
      const left = Math.max(bbox.left, Math.min(wanted, bbox.left + bbox.width - width));
      const isFree = (y: number) =>
        written.every((name) => name.left >= left + width || name.right <= left || Math.abs(name.y - y) >= height);
      const [highest, lowest] = [bbox.top + height / 2, bbox.top + bbox.height - height / 2];
      const above = plot.valToPos(sizes[at]!, 'y', true) - height / 2;
      const y = nearestFree(Math.min(Math.max(above, highest), lowest), height / 2, highest, lowest, isFree);
      written.push({ left, right: left + width, y });
      ctx.textAlign = 'left';
      ctx.fillStyle = colors[side]!;
      ctx.fillText(labels[side]!, left + LABEL_GAP * ratio, y);
    }
  });
};

/** A scale that begins at zero and has room above the largest value. */
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

/** Profits and losses with zero between them or at an end. */
function ladderScales(newest: () => ChartData): uPlot.Scales {
  return {
    x: {
      range: (_plot, _min, max) => {
        const data = newest();
        return [0, 'axis' in data ? (shownUntil(data) ?? max) : max];
      },
    },
    y: {
      range: (_plot, min, max) => {
        const [low, high] = [Math.min(min ?? 0, 0), Math.max(max ?? 0, 0)];
        const room = (high - low) * 0.12 || 1;
        return [low < 0 ? low - room : 0, high > 0 ? high + room : room];
      },
    },
  };
}

/** A single time has room on both sides; without it uPlot's axis would span years. */
export const timeScale = (newest: () => ChartData): uPlot.Scale => ({
  range: (_plot, min, max) => (placesOf(newest()).length === 1 ? [min - ROOM_SECONDS, min + ROOM_SECONDS] : [min, max]),
});

export const KINDS: Readonly<Record<ChartOptions['kind'], Kind>> = {
  line: {},
  // A point for each bucket in which there were trades.
  trades: { series: (_index, color) => ({ points: { show: true, size: 5, fill: color } }) },
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
    // The sides of one book differ in their colours, several books do.
    colors: (count) => (count > 2 ? SERIES_COLORS.flatMap((color) => [color, color]) : ['--up', '--down']),
    series: (index, _color, property, colorOf) => ({
      // A bid's size can be sold at its price or below, an ask's can be bought at its price or above.
      paths: uPlot.paths.stepped!({ align: index % 2 === 0 ? -1 : 1 }),
      fill: colorOf(property, AREA_PERCENT),
      points: { show: false },
    }),
    scales: depthScales,
    drawNames: nameSides,
  },
  ladder: {
    series: () => ({ points: { show: true, size: 5 } }),
    scales: ladderScales,
  },
  candles: {
    series: () => ({ paths: () => null, points: { show: false } }),
    scales: (newest) => ({ y: { range: (plot, min, max) => candleRange(plot, newest(), min, max) } }),
    draw: drawCandles,
    isWithoutLines: true,
  },
};
