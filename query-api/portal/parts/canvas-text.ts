/** Text on the canvas of a chart. */
import type uPlot from 'uplot';

export const LABEL_HEIGHT = 15;
/** Distance between a name and the place that it names, in CSS pixels. */
export const LABEL_GAP = 5;

/** Prepares the canvas for text, in pixels of the screen. */
export function withText(plot: uPlot, draw: (ctx: CanvasRenderingContext2D, ratio: number) => void): void {
  const { ctx } = plot;
  ctx.save();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  draw(ctx, devicePixelRatio);
  ctx.restore();
}
