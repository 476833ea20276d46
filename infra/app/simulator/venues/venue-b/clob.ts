import { plainText, probabilityText } from '../../world/number-text.ts';
import { tickAt, yesProbability } from '../../world/question-book.ts';
import { questionTexts } from '../../world/question-texts.ts';
import { HOUR_MS, MINUTE_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { lastTradeText } from './feed.ts';
import { type Answer, ok } from './gamma.ts';
import type { ListedMarket, MarketBoard } from './market-board.ts';
import { bestOf, bookAnswer } from './market-text.ts';
import { FEE_RATE_HUNDREDTHS } from './match-orders.ts';

const PAGE = 500;
/** Cursor of the last page (venue page, section 3): base64 of -1. */
const END_CURSOR = 'LTE=';

const notFound = (error: string): Answer => ({ status: 404, text: JSON.stringify({ error }) });
const invalid = (error: string): Answer => ({ status: 400, text: JSON.stringify({ error }) });
const NO_BOOK = notFound('No orderbook exists for the requested token id');
const NO_MARKET = notFound('market not found');

/** Creates the handlers of venue_b's order-book host, which answer from the world as of a time. */
export function createClob(world: World, board: MarketBoard) {
  const { seed } = world.settings;

  const tokens = ({ question, ids }: ListedMarket, atMs: number) => {
    const isSettled = question.settledAtMs <= atMs;
    const yes = isSettled
      ? Number(board.isYes(question))
      : Number(yesProbability(seed, question, Math.min(atMs, question.expiresAtMs - 1)).toFixed(3));
    return ids.tokenIds.map((token_id, index) => ({
      token_id,
      outcome: index === 0 ? 'Yes' : 'No',
      price: index === 0 ? yes : Number((1 - yes).toFixed(3)),
      winner: isSettled && yes === 1 - index,
    }));
  };
  const fullMarket = (market: ListedMarket, atMs: number) => {
    const { question, ids } = market;
    const texts = questionTexts(question);
    const trades = question.listedAtMs <= atMs && atMs < question.expiresAtMs;
    return {
      enable_order_book: trades,
      active: true,
      closed: question.settledAtMs <= atMs,
      archived: false,
      accepting_orders: trades,
      accepting_order_timestamp: new Date(question.listedAtMs).toISOString(),
      minimum_order_size: 5,
      minimum_tick_size: tickAt(seed, question, Math.min(atMs, question.expiresAtMs - 1)) / 1000,
      condition_id: ids.conditionId,
      question_id: ids.questionId,
      question: texts.question,
      description: texts.description,
      market_slug: ids.slug,
      end_date_iso: new Date(question.expiresAtMs).toISOString().replace('.000Z', 'Z'),
      game_start_time: null,
      seconds_delay: 0,
      fpmm: '',
      maker_base_fee: 1000,
      taker_base_fee: 1000,
      notifications_enabled: true,
      neg_risk: false,
      neg_risk_market_id: '',
      neg_risk_request_id: '',
      icon: '',
      image: '',
      rewards: { rates: null, min_size: 0, max_spread: 0 },
      is_50_50_outcome: false,
      tokens: tokens(market, atMs),
      tags: ['Crypto', 'Crypto Prices'],
    };
  };
  const simpleMarket = (market: ListedMarket, atMs: number) => {
    const { condition_id, active, closed, archived, accepting_orders, rewards, tokens } = fullMarket(market, atMs);
    return { condition_id, rewards, tokens, active, closed, archived, accepting_orders };
  };
  const shortMarket = ({ question, ids }: ListedMarket, atMs: number) => ({
    c: ids.conditionId,
    t: ids.tokenIds.map((t, index) => ({ t, o: index === 0 ? 'Yes' : 'No' })),
    mts: tickAt(seed, question, Math.min(atMs, question.expiresAtMs - 1)) / 1000,
    mos: 5,
    nr: false,
    fd: { r: FEE_RATE_HUNDREDTHS / 100, e: 1, to: true },
    mbf: 1000,
    tbf: 1000,
    ao: question.listedAtMs <= atMs && atMs < question.expiresAtMs,
  });

  const page = (query: URLSearchParams, atMs: number, row: (market: ListedMarket, atMs: number) => unknown): Answer => {
    const cursor = query.get('next_cursor') ?? '';
    const offset = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64').toString());
    const all = board.all(atMs);
    if (!Number.isInteger(offset) || offset < -1 || offset > all.length) return invalid('invalid next_cursor');
    const rows = offset === -1 ? [] : all.slice(offset, offset + PAGE);
    const next = offset + rows.length;
    const next_cursor = offset === -1 || next >= all.length ? END_CURSOR : Buffer.from(String(next)).toString('base64');
    return ok({ limit: PAGE, count: rows.length, next_cursor, data: rows.map((market) => row(market, atMs)) });
  };

  const bookOf = (tokenId: string, atMs: number) => {
    const found = board.byToken(tokenId, atMs);
    const update = found && board.bookOf(found.market, atMs);
    return found && update ? { ...found, update } : null;
  };
  const bookTextOf = (tokenId: string, atMs: number): string | null => {
    const found = bookOf(tokenId, atMs);
    if (!found) return null;
    const { market, token, update } = found;
    return bookAnswer(world, market.ids, update, token, atMs, lastTradeText(board, update, token));
  };

  /** Answer of `/price`, `/midpoint`, `/spread` and `/last-trade-price` for one token; null if it has no book. */
  const figure = (name: string, tokenId: string, side: string | null, atMs: number): Record<string, string> | null => {
    const found = bookOf(tokenId, atMs);
    if (!found) return null;
    const { bid, ask } = bestOf(found.update.book, found.token);
    if (name === 'price') return { price: (side === 'SELL' ? ask : bid) || '0' };
    if (name === 'last-trade-price') {
      return {
        price: lastTradeText(board, found.update, found.token),
        side: found.update.match?.isTakerBuy ? 'BUY' : 'SELL',
      };
    }
    const [low, high] = [Math.round(Number(bid) * 1000), Math.round(Number(ask) * 1000)];
    if (!bid || !ask) return name === 'midpoint' ? { mid: bid || ask } : { spread: '0' };
    return name === 'midpoint' ? { mid: plainText((low + high) * 5, 4) } : { spread: plainText(high - low, 3) };
  };
  const single = (name: string, query: URLSearchParams, atMs: number): Answer => {
    const figures = figure(name, query.get('token_id') ?? '', query.get('side'), atMs);
    return figures ? ok(figures) : NO_BOOK;
  };
  const batch = (name: 'prices' | 'midpoints' | 'spreads', body: unknown, atMs: number): Answer => {
    if (!Array.isArray(body)) return invalid('Invalid payload');
    const figures: Record<string, unknown> = {};
    for (const { token_id, side } of body as { token_id?: unknown; side?: unknown }[]) {
      const one = figure(name.slice(0, -1), String(token_id), String(side ?? 'BUY'), atMs);
      if (one)
        figures[String(token_id)] =
          name === 'prices' ? { [String(side ?? 'BUY')]: one.price } : (one.mid ?? one.spread);
    }
    return ok(figures);
  };

  const history = (query: URLSearchParams, atMs: number): Answer => {
    const found = board.byToken(query.get('market') ?? '', atMs);
    if (!found) return ok({ history: [] });
    const { question } = found.market;
    const fidelityMs = Math.max(1, Number(query.get('fidelity') ?? 10)) * MINUTE_MS;
    const spans: Record<string, number> = { '1h': 1, '6h': 6, '1d': 24, '1w': 168, '1m': 720 };
    const endMs = Math.min(
      Number(query.get('endTs') ?? Number.POSITIVE_INFINITY) * 1000,
      atMs,
      question.expiresAtMs - 1,
    );
    const spanMs = (spans[query.get('interval') ?? ''] ?? 1_000_000) * HOUR_MS;
    const startMs = Math.max(Number(query.get('startTs') ?? 0) * 1000, question.listedAtMs, endMs - spanMs);
    const points: { t: number; p: number }[] = [];
    for (
      let at = Math.ceil(startMs / fidelityMs) * fidelityMs;
      at <= endMs && points.length < 5_000;
      at += fidelityMs
    ) {
      const yes = Math.round(yesProbability(seed, question, at) * 1000);
      points.push({ t: at / 1000, p: Number(probabilityText(found.token === 0 ? yes : 1000 - yes)) });
    }
    return ok({ history: points });
  };

  const get = (path: string, query: URLSearchParams, atMs: number): Answer => {
    const [first = '', second] = path.split('/').filter(Boolean);
    const tokenId = query.get('token_id') ?? '';
    if (first === 'time') return { status: 200, text: String(Math.floor(atMs / 1000)) };
    if (first === 'markets' && second === undefined) return page(query, atMs, fullMarket);
    if (first === 'sampling-markets') return page(query, atMs, fullMarket);
    if (first === 'simplified-markets' || first === 'sampling-simplified-markets')
      return page(query, atMs, simpleMarket);
    if (first === 'markets' || first === 'clob-markets') {
      const market = board.byCondition(second ?? '', atMs);
      if (!market) return NO_MARKET;
      return ok(first === 'markets' ? fullMarket(market, atMs) : shortMarket(market, atMs));
    }
    if (first === 'markets-by-token') {
      const found = board.byToken(second ?? '', atMs);
      return found ? ok({ condition_id: found.market.ids.conditionId }) : NO_MARKET;
    }
    if (first === 'book') {
      const text = bookTextOf(tokenId, atMs);
      return text ? { status: 200, text } : NO_BOOK;
    }
    if (['price', 'midpoint', 'spread', 'last-trade-price'].includes(first)) return single(first, query, atMs);
    if (first === 'prices-history') return history(query, atMs);
    if (first === 'tick-size' || first === 'neg-risk' || first === 'fee-rate') {
      const found = board.byToken(tokenId, atMs);
      if (!found) return NO_MARKET;
      if (first === 'neg-risk') return ok({ neg_risk: false });
      if (first === 'fee-rate') return ok({ base_fee: 1000 });
      return ok({ minimum_tick_size: shortMarket(found.market, atMs).mts });
    }
    return notFound('not found');
  };

  const post = (path: string, body: unknown, atMs: number): Answer => {
    const name = path.split('/').filter(Boolean)[0];
    if (name === 'books') {
      if (!Array.isArray(body)) return invalid('Invalid payload');
      const texts = (body as { token_id?: unknown }[]).map(({ token_id }) => bookTextOf(String(token_id), atMs));
      return { status: 200, text: `[${texts.filter((text) => text !== null).join(',')}]` };
    }
    if (name === 'prices' || name === 'midpoints' || name === 'spreads') return batch(name, body, atMs);
    return notFound('not found');
  };
  return { get, post };
}
