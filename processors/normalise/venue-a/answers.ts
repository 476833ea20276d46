/** What the answers of `info` tell (venue page, sections 3.1 and 3.5). Each is read whole before anything is told. */
import type { Emit } from '#infra/stages/stage';
import type { RawEnvelope } from '#schemas/topics/raw';
import { isOvertaken, readBook, tellBook } from './books.ts';
import { readAlignedContexts, readMids, readSpotContexts, tellContexts, tellMids } from './contexts.ts';
import { type Fields, readList, readObject } from './fields.ts';
import { dexOf, type InstrumentMessage, keepUniverse, readPerps, readSpots, tellInstruments } from './instruments.ts';
import { parseJson, parseRequest } from './messages.ts';
import { readOutcomeMeta } from './outcome-messages.ts';
import { takeOutcomeMeta, takeUndecided } from './outcomes.ts';
import { readSettledOutcome, takeSettledOutcome } from './settlements.ts';
import type { VenueAState } from './state.ts';
import { readTrades, tellTrades } from './trades.ts';

/** One answer on its way through. */
interface Answer {
  readonly state: VenueAState;
  readonly request: Fields;
  readonly body: unknown;
  readonly feed: string;
  readonly receivedAt: number;
  readonly takerFeeRate: string;
  readonly emit: Emit;
}

type TakeAnswer = (answer: Answer) => void;

/** By request type. Answers of other types speak of accounts, or of nothing that is kept. */
const ANSWERS: Readonly<Record<string, TakeAnswer>> = {
  meta: (answer) => takePerps(answer, dexNamed(answer.request), readPerps(answer.body, 'answer')),
  allPerpMetas: takeAllPerps,
  metaAndAssetCtxs: takePerpsWithContexts,
  spotMeta: ({ state, body, receivedAt, emit }) => tellInstruments(state, readSpots(body, 'answer'), receivedAt, emit),
  spotMetaAndAssetCtxs: takeSpotsWithContexts,
  allMids: ({ state, body, receivedAt, emit }) =>
    tellMids(state, readMids(state, readObject(body, 'answer'), 'answer'), receivedAt, emit),
  l2Book: takeBook,
  recentTrades: ({ state, body, receivedAt, emit }) =>
    // Told newest first.
    tellTrades(state, [...readTrades(body)].reverse(), receivedAt, emit),
  settledOutcome: ({ state, body, receivedAt, takerFeeRate, emit }) =>
    takeSettledOutcome(state.outcomes, readSettledOutcome(body, 'answer'), { takerFeeRate, receivedAt, emit }),
  outcomeMeta: ({ state, body, receivedAt, takerFeeRate, emit }) =>
    takeOutcomeMeta(state.outcomes, readOutcomeMeta(body, 'answer'), { takerFeeRate, receivedAt, emit }),
};

/** Throws `MalformedError` or `FieldError`, and then nothing was told and nothing changed. */
export function takeAnswer(
  state: VenueAState,
  envelope: RawEnvelope,
  feed: string,
  takerFeeRate: string,
  emit: Emit,
): void {
  const request = parseRequest(envelope.request);
  const take = Object.hasOwn(ANSWERS, request.type) ? ANSWERS[request.type] : undefined;
  if (!take) return;
  const body = parseJson(envelope.payload.toString(), 'malformed_answer');
  // Asked of something that it does not know, the venue answers null, and of how a live outcome was decided.
  if (body === null) {
    if (request.type === 'settledOutcome') takeUndecided(state.outcomes, Number(request.outcome), envelope.receivedAt);
    return;
  }
  take({ state, request, body, feed, receivedAt: envelope.receivedAt, takerFeeRate, emit });
}

/** The dex that was asked for; `` is the main one. */
function dexNamed(request: Fields): string {
  return typeof request.dex === 'string' ? request.dex : '';
}

function takePerps({ state, receivedAt, emit }: Answer, dex: string, coins: readonly InstrumentMessage[]): void {
  keepUniverse(state, dex, coins);
  tellInstruments(state, coins, receivedAt, emit);
}

/** One entry for each dex, the main one first: its `meta`, or as some documents show it the pair with its contexts. */
function takeAllPerps(answer: Answer): void {
  const dexes = readList(answer.body, 'answer').map((entry, at) => {
    const meta: unknown = Array.isArray(entry) ? entry[0] : entry;
    return readPerps(meta, `answer[${at}]`);
  });
  for (const [at, coins] of dexes.entries()) {
    const dex = at === 0 ? '' : dexOf(coins[0]?.coin ?? '');
    // A builder dex without coins cannot be told from its names, and there is nothing to tell of it.
    if (at === 0 || dex !== '') takePerps(answer, dex, coins);
  }
}

function takePerpsWithContexts(answer: Answer): void {
  const [meta, contexts] = readPair(answer.body);
  const coins = readPerps(meta, 'answer[0]');
  const names = coins.map(({ coin }) => coin);
  const figures = readAlignedContexts(names, contexts, 'answer[1]');
  takePerps(answer, dexNamed(answer.request), coins);
  tellContexts(answer.state, figures, answer.receivedAt, answer.emit);
}

function takeSpotsWithContexts({ state, body, receivedAt, emit }: Answer): void {
  const [meta, contexts] = readPair(body);
  const pairs = readSpots(meta, 'answer[0]');
  const figures = readSpotContexts(contexts, 'answer[1]');
  tellInstruments(state, pairs, receivedAt, emit);
  tellContexts(state, figures, receivedAt, emit);
}

function readPair(body: unknown): readonly [unknown, unknown] {
  const pair = readList(body, 'answer');
  return [pair[0], pair[1]];
}

function takeBook({ state, request, body, feed, receivedAt, emit }: Answer): void {
  // Levels put together by significant figures are no levels of the book.
  if (typeof request.nSigFigs === 'number') return;
  const book = readBook(body);
  if (!isOvertaken(state, book)) tellBook(state, book, feed, receivedAt, emit);
}
