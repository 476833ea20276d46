/** The matcher alone, over titles that need no catalog: what `parallax match` prints (contract, Commands). */
import type { Market } from '#schemas/topics/normalised';
import { toMarketEntry } from './market-entry.ts';
import { placeMarket } from './membership.ts';
import type { MarketTexts, Recognition } from './recognise/question.ts';
import { recogniseTexts } from './recognise/recognise.ts';
import { createEventsState } from './state.ts';
import { linksBetween, type TitleLink } from './title-links.ts';

export type { TitleLink };

/** One title. Where `title` is null the other fields are all there is. */
export interface TitleInput {
  readonly id: string;
  readonly venue: string;
  readonly marketId?: string | null | undefined;
  readonly title: string | null;
  readonly subtitle?: string | null | undefined;
  /** A day near the listing or the end, `YYYY-MM-DD`; a date without a year is read by it. */
  readonly contextDate?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly rules?: string | Readonly<Record<string, unknown>> | null | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What a title asks; parts that its kind does not have, or that are not told, are null. */
export interface TitleLabel {
  readonly kind: string;
  readonly underlying: string | null;
  readonly threshold: number | null;
  readonly op: string | null;
  readonly semantics: string | null;
  /** Calendar day in the zone of the market's own deadline. */
  readonly resolutionDate: string | null;
  /** The moment, ISO-8601; null while the minute is not known. */
  readonly resolutionTime: string | null;
  /** The fields that its kind has of its own, as `lower` and `upper` of a range. */
  readonly details: Readonly<Record<string, string | null>>;
  readonly settlementSource: string | null;
  /** How sure the reading is, 0..1. */
  readonly confidence: number;
  /** What it was read from: `structured` fields, `ner` (sentences). */
  readonly source: string;
  /** Part to the words or field that gave it. */
  readonly evidence: Readonly<Record<string, string>>;
}

export interface TitleMatches {
  readonly labels: Readonly<Record<string, TitleLabel | null>>;
  readonly links: readonly TitleLink[];
}

/** Without a context date, dates without a year are read near the beginning of this year. */
const NO_CONTEXT_DAY = '2026-01-01';

/** Labels every title and links those that ask the same, in the order in which they came. */
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

/** What the events stage needs of a market beside its texts; ids of titles may be given twice, their places not. */
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

function textsOf(title: TitleInput): MarketTexts {
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
    // Rules as an object are fields too: venue_c keeps its strike beside the sentence.
    fields: { ...(typeof title.rules === 'object' ? title.rules : null), ...title.fields },
  };
}
