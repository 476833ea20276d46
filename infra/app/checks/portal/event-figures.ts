/** The figures of events: as REST and channels return them, and as pages of the portal show them. */
import type { Page } from 'playwright-core';
import type { BoardRow } from '#query-api/portal/pages/event/board';
import type { Edge, Leg, Spread } from '#query-api/portal/pages/event/shapes';
import { type Fields, rowsOf } from './browser.ts';

/** An arbitrage of an event, as its channel sends it, or as a row of the board has it. */
export type AnyEdge = Pick<Edge, 'netEdge' | 'size'> & { readonly kind: string };

type Row = Pick<BoardRow, 'universalId' | 'spread' | 'trades24h'> & {
  readonly legs: readonly Pick<Leg, 'yesBid' | 'yesAsk' | 'yesMid'>[];
};

const BOARD_FIELDS = ['yesBid', 'yesAsk', 'yesMid', 'spread', 'netEdge', 'size', 'trades24h'];

/** What a row of the board must show: a list in each cell, since prices have a line for each leg. */
export function boardFigures({ universalId, legs, spread, trades24h }: Row, edges: readonly AnyEdge[]) {
  const [best] = [...edges].sort((a, b) => b.netEdge - a.netEdge);
  return {
    id: universalId,
    yesBid: legs.map(({ yesBid }) => yesBid),
    yesAsk: legs.map(({ yesAsk }) => yesAsk),
    yesMid: legs.map(({ yesMid }) => yesMid),
    spread: [spread],
    netEdge: [best?.netEdge ?? null],
    size: [best?.size ?? null],
    trades24h: [trades24h],
  };
}

/** What the first rows of the board show, in the form of `boardFigures`. */
export function shownBoard(page: Page, rowsMax: number): Promise<unknown[]> {
  return page.evaluate(`[...document.querySelectorAll('tr[data-id]')].slice(0, ${rowsMax}).map((row) => ({
    id: row.dataset.id,
    ...Object.fromEntries(${JSON.stringify(BOARD_FIELDS)}.map((field) => {
      const cell = row.querySelector('[data-field="' + field + '"]');
      const lines = cell.querySelectorAll('.lines > span');
      return [field, [...(lines.length > 0 ? lines : [cell])].map((line) => {
        const number = line.querySelector('[data-value]');
        return number && Number(number.dataset.value);
      })];
    })),
  }))`);
}

const isFigureOfEdge = ([field]: readonly [string, unknown]) => /Edge$|Price$|Fee$/.test(field);
const figuresOfEdge = (edge: object) => Object.fromEntries(Object.entries(edge).filter(isFigureOfEdge)) as Fields;

/** What the page of an event must show: its legs, its spread, and prices, fees and edges of each kind of arbitrage. */
export function eventFigures({ legs, spread }: Pick<Spread, 'legs' | 'spread'>, edges: readonly AnyEdge[]) {
  return {
    legs: legs.map(({ provider, marketId, yesBid, yesAsk, yesMid, state }) => {
      return { id: `${provider}.${marketId}`, yesBid, yesAsk, yesMid, state: state ?? 'no book' };
    }),
    spread,
    edges: [...edges]
      .sort((a, b) => (a.kind < b.kind ? -1 : 1))
      .map((edge) => ({ id: edge.kind, ...figuresOfEdge(edge) })),
  };
}

/** What the page of an event shows, in the form of `eventFigures`. */
export async function shownEvent(page: Page) {
  const legs = await rowsOf(page, '[aria-label="Prices of YES"] tbody tr');
  const [distance] = await rowsOf(page, 'p:has(> strong[data-field="spread"])');
  const edges = await rowsOf(page, 'section[data-id]:has([data-field="netEdge"])');
  return {
    legs: legs.map(({ id, yesBid, yesAsk, yesMid, state }) => ({ id, yesBid, yesAsk, yesMid, state })),
    spread: distance?.spread,
    edges: edges.map((edge) => ({ id: edge.id, ...figuresOfEdge(edge) })),
  };
}
