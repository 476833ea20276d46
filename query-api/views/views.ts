/** What is held in memory to answer from: a stage without outputs over the topics of current values. Pure. */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { clockTopic } from '#schemas/topics/control';
import {
  type Arbitrage,
  arbitrageHeadTopic,
  eventTopic,
  type Reconcile,
  reconcileTopic,
  type Spread,
  spreadHeadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import {
  type AssetContext,
  type BookUpdate,
  bookTopics,
  contextTopics,
  type Instrument,
  instrumentTopics,
} from '#schemas/topics/normalised';

export interface HeldBook {
  readonly book: Book;
  /** The venue's time of the newest update. */
  ts: number;
}

export interface Views {
  readonly events: Map<string, UniversalEvent>;
  readonly spreads: Map<string, Spread>;
  /** By universal event, then kind. */
  readonly arbitrage: Map<string, Map<string, Arbitrage>>;
  readonly instruments: Map<string, Instrument>;
  readonly contexts: Map<string, AssetContext>;
  /** By instrument; only books of which a snapshot was received. */
  readonly books: Map<string, HeldBook>;
  reconcile: Reconcile | null;
  /** The pipeline's time, unix ms; null before the first mark. */
  now: number | null;
}

/** The stage that keeps them. */
export const viewsStage: Stage<Views> = {
  name: 'view.query-api',
  inputs: [
    on(clockTopic, (views: Views, { receivedAt }) => {
      views.now = receivedAt;
    }),
    onKeyed(eventTopic, (views: Views, { key, value }) => put(views.events, key, value)),
    onKeyed(spreadHeadTopic, (views: Views, { key, value }) => put(views.spreads, key, value)),
    onKeyed(arbitrageHeadTopic, (views: Views, { key, value }) => putArbitrage(views, key, value)),
    on(reconcileTopic, (views: Views, { value }) => {
      views.reconcile = value;
    }),
    ...Object.values(instrumentTopics).map((topic) =>
      onKeyed(topic, (views: Views, { key, value }) => put(views.instruments, key, value)),
    ),
    ...Object.values(contextTopics).map((topic) =>
      onKeyed(topic, (views: Views, { key, value }) => put(views.contexts, key, value)),
    ),
    ...Object.values(bookTopics).map((topic) => on(topic, (views: Views, { value }) => foldBook(views, value))),
  ],
  outputs: [],
  initialState: () => ({
    events: new Map(),
    spreads: new Map(),
    arbitrage: new Map(),
    instruments: new Map(),
    contexts: new Map(),
    books: new Map(),
    reconcile: null,
    now: null,
  }),
};

function put<T>(map: Map<string, T>, key: string, value: T | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

/** The key is `universalId:kind`. */
function putArbitrage(views: Views, key: string, value: Arbitrage | null): void {
  const at = key.lastIndexOf(':');
  const [universalId, kind] = [key.slice(0, at), key.slice(at + 1)];
  const kinds = views.arbitrage.get(universalId) ?? new Map<string, Arbitrage>();
  put(kinds, kind, value);
  if (kinds.size > 0) views.arbitrage.set(universalId, kinds);
  else views.arbitrage.delete(universalId);
}

function foldBook(views: Views, update: BookUpdate): void {
  const held = views.books.get(update.instrument);
  if (!held && !update.snapshot) return;
  const target = held ?? { book: createBook(), ts: update.ts };
  applyBookUpdate(target.book, update);
  target.ts = update.ts;
  views.books.set(update.instrument, target);
}
