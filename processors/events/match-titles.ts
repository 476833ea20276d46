/** Runs the matcher alone, on titles without a catalog, for `parallax match` (contract, Commands). */
import type { Market } from '#schemas/topics/normalised';
import { toMarketEntry } from './market-entry.ts';
import { placeMarket } from './membership.ts';
import type { Recognition } from './recognise/question.ts';
import { recogniseTexts, type VenueTexts } from './recognise/recognise.ts';
import { createEventsState } from './state.ts';
import { linksBetween, type TitleLink } from './title-links.ts';

export type { TitleLink };

/** One title to match. If `title` is null, only the other fields are known. */
export interface TitleInput {
  readonly id: string;
  readonly venue: string;
  readonly marketId?: string | null | undefined;
  readonly title: string | null;
  readonly subtitle?: string | null | undefined;
  /** A day near the listing or the end, `YYYY-MM-DD`; it gives the year of a date that states none. */
  readonly contextDate?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly rules?: string | Readonly<Record<string, unknown>> | null | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The question of a title. Parts that its kind does not have, or that are not stated, are null. */
export interface TitleLabel {
  readonly kind: string;
  readonly underlying: string | null;
  readonly threshold: number | null;
  readonly op: string | null;
  readonly semantics: string | null;
  /** Calendar day in the zone of the market's own deadline. */
  readonly resolutionDate: string | null;
  /** The moment, ISO-8601; null if the minute is unknown. */
  readonly resolutionTime: string | null;
  /** The fields that only its kind has, for example `lower` and `upper` of a range. */
  readonly details: Readonly<Record<string, string | null>>;
  readonly settlementSource: string | null;
  /** Confidence of the reading, 0..1. */
  readonly confidence: number;
  /** The kind of source: `structured` (fields) or `ner` (sentences). */
  readonly source: string;
  /** The words or field that each part was read from. */
  readonly evidence: Readonly<Record<string, string>>;
}

export interface TitleMatches {
  readonly labels: Readonly<Record<string, TitleLabel | null>>;
  readonly links: readonly TitleLink[];
}

/** Context day of a title without one: dates without a year are then read near the beginning of this year. */
const NO_CONTEXT_DAY = '2026-01-01';

/** Labels every title and links those that ask the same question, in input order. */
export function matchTitles(titles: readonly TitleInput[]): TitleMatches {
  const labels: Record<string, TitleLabel | null> = {};
  const state = createEventsState();
  const placed = titles.map((title, at) => {
    const recognition = recogniseTexts(textsOf(title));
    labels[title.id] = labelOf(recognition);
    const market = toMarketEntry(marketOf(title, at), recognition, '');
    placeMarket(state, market, 0);
    return { id: title.id, market };
  });
  return { labels, links: linksBetween(placed, state) };
}

/** Creates a market for the events stage. Its id is the position of the title, because ids of titles may repeat. */
function marketOf({ venue, title }: TitleInput, at: number): Market {
  return {
    provider: venue,
    marketId: String(at),
    receivedAt: 0,
    title: title ?? '',
    description: '',
    groupTitle: null,
    groupItemTitle: null,
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: null,
    instruments: ['yes', 'no'],
    outcomes: ['Yes', 'No'],
    active: true,
    closed: false,
    takerFeeRate: null,
    fields: '{}',
    resolved: false,
    name: null,
  };
}

function labelOf(recognition: Recognition): TitleLabel | null {
  const { kind, underlying, strike, deadline, details, settlementSource, confidence, source, evidence } = recognition;
  if (kind === null) return null;
  return {
    kind,
    underlying,
    threshold: strike ? Number(strike.threshold) : null,
    op: strike?.op ?? null,
    semantics: strike?.semantics ?? null,
    resolutionDate: deadline?.day ?? null,
    resolutionTime: deadline && deadline.atMs !== null ? new Date(deadline.atMs).toISOString() : null,
    details,
    settlementSource,
    confidence,
    source,
    evidence,
  };
}

function textsOf(title: TitleInput): VenueTexts {
  const rules = typeof title.rules === 'string' ? title.rules : Object.values(title.rules ?? {}).join('\n');
  return {
    venue: title.venue,
    marketId: title.marketId ?? null,
    title: title.title ?? '',
    description: [title.description, rules].filter(Boolean).join('\n'),
    groupTitle: null,
    groupItemTitle: title.subtitle ?? null,
    resolutionSource: null,
    endTimeMs: null,
    contextDay: /^\d{4}-\d\d-\d\d/.exec(title.contextDate ?? '')?.[0] ?? NO_CONTEXT_DAY,
    // Rules given as an object are fields too: venue_c states its strike beside the sentence.
    fields: { ...(typeof title.rules === 'object' ? title.rules : null), ...title.fields },
  };
}
