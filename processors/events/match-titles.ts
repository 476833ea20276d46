/** The matcher alone, over titles that need no catalog: what `parallax match` prints (contract, Commands). */
import { judgeLink, type LinkFacts, linkFacts, questionKeys } from './link-judgement.ts';
import type { MarketTexts, Recognition } from './recognise/question.ts';
import { recogniseTexts } from './recognise/recognise.ts';

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
  readonly confidence: number;
}

/** Two titles that ask the same; `used` says whether strongly enough for spreads. */
export interface TitleLink {
  readonly a: string;
  readonly b: string;
  readonly confidence: number;
  readonly polarity: 'same' | 'inverse';
  readonly used: boolean;
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
  const links: TitleLink[] = [];
  const byKey = new Map<string, { id: string; facts: LinkFacts }[]>();
  for (const title of titles) {
    const recognition = recogniseTexts(textsOf(title));
    labels[title.id] = labelOf(recognition);
    const facts = linkFacts(recognition);
    if (!facts) continue;
    const linked = new Set<string>();
    for (const key of questionKeys(recognition)) {
      const others = byKey.get(key) ?? [];
      for (const other of others) {
        if (linked.has(other.id)) continue;
        linked.add(other.id);
        const { confidence, polarity, used } = judgeLink(other.facts, facts);
        links.push({ a: other.id, b: title.id, confidence, polarity, used });
      }
      others.push({ id: title.id, facts });
      byKey.set(key, others);
    }
  }
  return { labels, links };
}

function labelOf({ kind, underlying, strike, deadline, confidence }: Recognition): TitleLabel | null {
  if (kind === null) return null;
  return {
    kind,
    underlying,
    threshold: strike ? Number(strike.threshold) : null,
    op: strike?.op ?? null,
    semantics: strike?.semantics ?? null,
    resolutionDate: deadline?.day ?? null,
    confidence,
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
    fields: title.fields ?? {},
  };
}
