/**
 * How far the fills of an account of venue_a are loaded. Both lists are read from their start, a page at a time, and a
 * page repeats the last fills of the one before. A fill is released once both lists are known up to its time, so that a
 * load releases all fills in order and retains little. Pure.
 */
import { FILL_LISTS, type FillList, type FillPage, type VenueAFill } from '#schemas/topics/account-fills';
import type { Trade } from '#schemas/topics/normalised';
import { fillId } from '#schemas/venues/venue-a/fills';
import { completeUntil } from '../shared/requested-at.ts';
import { addCopy, type FillCopy } from './merge-copies.ts';

/** At most so many fills of other sources wait for a load. Of those beyond it only the builder is lost: the lists have the fill. */
const WAITING_MAX = 10_000;
/** At most so many recorded trades are awaited one by one. */
const MISSING_MAX = 1_000;
/** A response may lack what the venue published so long before its request; without a fill after that, a trade has none. */
const RESPONSE_LAG_MS = 30_000;

interface ListLoad {
  /** Start of the next request: everything before it is known. */
  from: number;
  /** Ids of the fills of that time that are known. */
  readonly edge: Set<string>;
  /** Up to when all fills of the list have arrived, unix ms; null before the first complete response. */
  completeAt: number | null;
}

export interface FillLoad {
  readonly lists: Readonly<Record<FillList, ListLoad>>;
  /** Copies of fills that are not released yet, by id, in the order of their arrival. */
  readonly waiting: Map<string, readonly FillCopy[]>;
  /** Event time of the first response about each list, unix ms; null before. */
  knownAt: number | null;
  /** Event time at which the whole history was loaded, unix ms; null before. */
  loadedAt: number | null;
  /** When the newest recorded trade that names the account was received, unix ms; null without one. */
  tradedAt: number | null;
  /** Recorded trades that are missing among the fills, by id. */
  readonly missing: Map<string, MissingTrade>;
  /** Stands for the trades beyond those: the time of the oldest one, and when the newest one was received. */
  untracked: MissingTrade | null;
  /** The first time, unix ms, of which the venue returned a full page, and so may have more fills; null without one. */
  skippedAt: number | null;
}

type MissingTrade = Pick<Trade, 'ts' | 'receivedAt'>;

export function createFillLoad(): FillLoad {
  const list = (): ListLoad => ({ from: 0, edge: new Set(), completeAt: null });
  return {
    lists: { orders: list(), twaps: list() },
    waiting: new Map(),
    knownAt: null,
    loadedAt: null,
    tradedAt: null,
    missing: new Map(),
    untracked: null,
    skippedAt: null,
  };
}

/** Adds a page. Returns the copies that it releases, by fill; null for a page that does not continue the load. */
export function addPage(load: FillLoad, page: FillPage): (readonly FillCopy[])[] | null {
  const own = load.lists[page.list];
  // A page that begins later leaves fills out, and one with an end may lack the newest.
  if (page.from > own.from || page.until !== null) return null;
  for (const fill of page.fills) {
    load.missing.delete(fillId(fill));
    if (isNew(own, fill)) wait(load, { source: page.list, fill });
  }
  const skippedAt = advance(own, page);
  if (skippedAt !== null) load.skippedAt = Math.min(load.skippedAt ?? skippedAt, skippedAt);
  forgetMissing(load);
  if (FILL_LISTS.every((list) => isAnswered(load.lists[list]))) load.knownAt ??= page.receivedAt;
  if (FILL_LISTS.every((list) => load.lists[list].completeAt !== null)) load.loadedAt ??= page.receivedAt;
  return release(load);
}

/** Adds a copy of another source. Returns the copies that it releases: itself if the lists are loaded up to its time. */
export function addFill(load: FillLoad, copy: FillCopy): (readonly FillCopy[])[] {
  const id = fillId(copy.fill);
  load.missing.delete(id);
  if (load.waiting.size >= WAITING_MAX && !load.waiting.has(id)) return [];
  wait(load, copy);
  const released = copy.fill.time < releaseBefore(load) ? [load.waiting.get(id)!] : [];
  if (released.length > 0) load.waiting.delete(id);
  return released;
}

/** The time before which all fills are known and released. A list that was read to its end has no earlier fill, also an empty one. */
export function releasedBefore({ lists }: FillLoad): number {
  return Math.min(...FILL_LISTS.map((list) => lists[list].completeAt ?? lists[list].from));
}

/** Adds a recorded trade that names the account and is not among its fills yet. */
export function addTrade(load: FillLoad, { id, ts, receivedAt }: MissingTrade & Pick<Trade, 'id'>): void {
  const { missing, untracked, waiting } = load;
  if (missing.has(id) || waiting.has(id)) return;
  if (missing.size < MISSING_MAX && !untracked) missing.set(id, { ts, receivedAt });
  else load.untracked = { ts: Math.min(ts, untracked?.ts ?? ts), receivedAt };
}

/** The time of the oldest recorded trade that is missing among the fills, unix ms; null if none is. */
export function missingFrom({ missing, untracked }: FillLoad): number | null {
  let oldest = untracked?.ts ?? null;
  for (const { ts } of missing.values()) if (oldest === null || ts < oldest) oldest = ts;
  return oldest;
}

/** Forgets missing trades that have no fill: complete responses about both lists were requested long after them. */
function forgetMissing(load: FillLoad): void {
  const { lists, missing, untracked } = load;
  const completeAt = Math.min(...FILL_LISTS.map((list) => lists[list].completeAt ?? 0));
  const hasNoFill = ({ receivedAt }: MissingTrade) => receivedAt + RESPONSE_LAG_MS <= completeAt;
  for (const [id, trade] of missing) if (hasNoFill(trade)) missing.delete(id);
  if (untracked && hasNoFill(untracked)) load.untracked = null;
}

function isAnswered({ from, completeAt }: ListLoad): boolean {
  return completeAt !== null || from > 0;
}

/** True if both lists were complete after a time. */
export function isLoaded({ lists }: FillLoad, time: number): boolean {
  return FILL_LISTS.every((list) => time < (lists[list].completeAt ?? 0));
}

function isNew({ from, edge }: ListLoad, fill: VenueAFill): boolean {
  return fill.time > from || (fill.time === from && !edge.has(fillId(fill)));
}

function wait({ waiting }: FillLoad, copy: FillCopy): void {
  const id = fillId(copy.fill);
  waiting.set(id, addCopy(waiting.get(id) ?? [], copy));
}

/** Returns the time that is skipped; null if none is. */
function advance(own: ListLoad, page: FillPage): number | null {
  const { fills, isFull } = page;
  const newest = Math.max(own.from, fills.at(-1)?.time ?? 0);
  // The venue would return the same page again where as many fills as a page holds share a time.
  const isSkipped = isFull && fills[0]?.time === newest;
  const from = isSkipped ? newest + 1 : newest;
  if (from !== own.from) own.edge.clear();
  own.from = from;
  for (const fill of fills) if (fill.time === from) own.edge.add(fillId(fill));
  if (!isFull) own.completeAt = Math.max(own.completeAt ?? 0, completeUntil(page));
  return isSkipped ? newest : null;
}

function release(load: FillLoad): (readonly FillCopy[])[] {
  const before = releaseBefore(load);
  const released = [...load.waiting.values()].filter(([copy]) => copy!.fill.time < before);
  for (const [copy] of released) load.waiting.delete(fillId(copy!.fill));
  return released;
}

/** Fills before this time need not wait. While the account is loaded for the first time, the list that is ahead waits for the other one. */
function releaseBefore({ lists, loadedAt }: FillLoad): number {
  if (loadedAt !== null) return Number.POSITIVE_INFINITY;
  const open = FILL_LISTS.filter((list) => lists[list].completeAt === null);
  return Math.min(...open.map((list) => lists[list].from));
}
