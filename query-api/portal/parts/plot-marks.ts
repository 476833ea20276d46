/** Draws named places and spans of a chart's lower axis. */
import type uPlot from 'uplot';
import type { ChartData } from '../format/series.ts';
import { LABEL_GAP, LABEL_HEIGHT, withText } from './canvas-text.ts';
import type { ColorOf } from './plot-colors.ts';

/** Opacity of a shaded span, per cent. */
const SHADE_PERCENT = 16;
const MILLISECONDS = 1_000;

/** Draws the named places as dashed lines, each name beside its line in the highest row that has room for it. */
export function drawMarks(plot: uPlot, data: ChartData, colorOf: ColorOf): void {
  const { bbox } = plot;
  const [left, right] = [bbox.left, bbox.left + bbox.width];
  const unit = 'times' in data ? MILLISECONDS : 1;
  withText(plot, (ctx, ratio) => {
    ctx.strokeStyle = colorOf('--line-strong');
    ctx.fillStyle = colorOf('--ink');
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.lineWidth = ratio;
    const gap = LABEL_GAP * ratio;
    const written: { readonly from: number; readonly to: number; readonly row: number }[] = [];
    for (const { label, at } of data.marks ?? []) {
      const x = plot.valToPos(at / unit, 'x', true);
      if (x < left || x > right) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const width = ctx.measureText(label).width + gap;
      const isLeft = x + width > right && x - width > left;
      const [from, to] = isLeft ? [x - width, x] : [x, x + width];
      let row = 0;
      while (written.some((name) => name.row === row && name.from < to + gap && name.to > from - gap)) row += 1;
      const y = bbox.top + (8 + row * LABEL_HEIGHT) * ratio;
      // A name without room is left out; the tables beside the chart have all of them.
      if (y > bbox.top + bbox.height) continue;
      written.push({ from, to, row });
      ctx.textAlign = isLeft ? 'right' : 'left';
      ctx.fillText(label, x + (isLeft ? -gap : gap), y);
    }
  });
}

/** Shades spans of time; called before the lines are drawn, so that these stay on top. */
export function drawShades(plot: uPlot, data: ChartData, colorOf: ColorOf): void {
  if (!('times' in data) || data.shades === undefined) return;
  const { ctx, bbox } = plot;
  const within = (x: number) => Math.max(bbox.left, Math.min(x, bbox.left + bbox.width));
  ctx.save();
  ctx.fillStyle = colorOf('--warn', SHADE_PERCENT);
  for (const { from, to } of data.shades) {
    const [start, end] = [from, to].map((time) => within(plot.valToPos(time / MILLISECONDS, 'x', true))) as [
      number,
      number,
    ];
    ctx.fillRect(start, bbox.top, end - start, bbox.height);
  }
  ctx.restore();
}
