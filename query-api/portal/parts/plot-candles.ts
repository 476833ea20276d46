/** Draws candles on the canvas of a chart, and below them a strip for each source of bars. */
import type uPlot from 'uplot';
import { type ChartData, stripsOf } from '../format/series.ts';
import type { ColorOf } from './plot-colors.ts';

/** Part of its bucket that a body fills; the rest is between two bodies. */
const BODY_PART = 0.7;
const BODY_WIDTH_MAX = 24;
/** Below this width only the range from low to high is drawn. */
const BODY_WIDTH_MIN = 3;
const STRIP_HEIGHT = 6;
const STRIP_GAP = 2;

/** Height of all strips, in CSS pixels. */
const stripsHeight = (data: ChartData): number => stripsOf(data).length * (STRIP_HEIGHT + STRIP_GAP) + STRIP_GAP;

/** The range of prices, with room above and below, and below that for the strips. */
export function candleRange(plot: uPlot, data: ChartData, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1];
  const room = (max - min) * 0.05 || Math.abs(max) * 0.01 || 1;
  const [low, high] = [min - room, max + room];
  const [height, strips] = [plot.bbox.height / devicePixelRatio, stripsHeight(data)];
  // Before the first layout there is no height yet.
  return height < 2 * strips ? [low, high] : [low - ((high - low) * strips) / (height - strips), high];
}

/** Width of a bucket in pixels of the screen. */
function bucketWidth(plot: uPlot, data: ChartData): number {
  const stepMs = 'times' in data ? (data.stepMs ?? 0) : 0;
  const from = plot.scales.x!.min ?? 0;
  return plot.valToPos(from + stepMs / 1_000, 'x', true) - plot.valToPos(from, 'x', true);
}

/** Rising candles are hollow and falling ones filled, so that they differ without colour too. */
export function drawCandles(plot: uPlot, data: ChartData, colorOf: ColorOf): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const [rise, fall, surface] = [colorOf('--up'), colorOf('--down'), colorOf('--surface')];
  const line = Math.max(1, Math.round(ratio));
  const bucket = bucketWidth(plot, data);
  const width = Math.min(Math.floor(bucket * BODY_PART), BODY_WIDTH_MAX * ratio);
  const [places, opens, highs, lows, closes] = plot.data as (number | null)[][];
  const yOf = (value: number) => Math.round(plot.valToPos(value, 'y', true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = line;
  const [first, last] = plot.series[0]!.idxs ?? [0, -1];
  for (let index = first; index <= last; index++) {
    const [open, high, low, close] = [opens![index], highs![index], lows![index], closes![index]];
    if (open == null || high == null || low == null || close == null) continue;
    const color = close >= open ? rise : fall;
    const x = Math.round(plot.valToPos(places![index]!, 'x', true));
    ctx.fillStyle = color;
    ctx.fillRect(x - Math.floor(line / 2), yOf(high), line, Math.max(line, yOf(low) - yOf(high)));
    if (width < BODY_WIDTH_MIN * ratio) continue;
    const [left, top] = [x - Math.floor(width / 2), yOf(Math.max(open, close))];
    const height = Math.max(line, yOf(Math.min(open, close)) - top);
    ctx.fillRect(left, top, width, height);
    if (close < open || height <= 2 * line) continue;
    ctx.fillStyle = surface;
    ctx.fillRect(left + line, top + line, width - 2 * line, height - 2 * line);
  }
  drawStrips(plot, data, bucket, colorOf);
  ctx.restore();
}

/** Each strip has a form of its own: blocks, frames, lines, dots. */
function drawStrips(plot: uPlot, data: ChartData, bucket: number, colorOf: ColorOf): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const strips = stripsOf(data);
  const closes = plot.data.at(-1) as (number | null)[];
  const width = Math.max(1, Math.floor(bucket * BODY_PART));
  const [first, last] = plot.series[0]!.idxs ?? [0, -1];
  for (const [row, { source, form }] of strips.entries()) {
    const height = STRIP_HEIGHT * ratio;
    const top = bbox.top + bbox.height - (strips.length - row) * (STRIP_HEIGHT + STRIP_GAP) * ratio;
    ctx.fillStyle = colorOf(STRIP_COLORS[form]!);
    for (let index = first; index <= last; index++) {
      if (closes[index] == null || (data.note?.values[index] ?? null) !== source) continue;
      const left = Math.round(plot.valToPos(plot.data[0][index]!, 'x', true) - width / 2);
      if (form === 0) ctx.fillRect(left, top, width, height);
      else if (form === 1) {
        ctx.fillRect(left, top, width, ratio);
        ctx.fillRect(left, top + height - ratio, width, ratio);
      } else if (form === 2) ctx.fillRect(left, top + height / 2 - ratio, width, 2 * ratio);
      else ctx.fillRect(left + width / 2 - ratio, top + height / 2 - ratio, 2 * ratio, 2 * ratio);
    }
  }
}

/** Colours of strips by their form; the swatches of the legend have the same (`styles/charts.css`). */
export const STRIP_COLORS = ['--accent', '--warn', '--ink-muted', '--down'];
