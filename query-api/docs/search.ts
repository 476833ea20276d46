/** A search over the sections of all pages. Pure. */

export interface Section {
  /** Path of the page, with the fragment of the section. */
  readonly path: string;
  readonly pageTitle: string;
  readonly heading: string;
  readonly text: string;
}

export interface Hit {
  readonly section: Section;
  /** The text around the first word that was found in it; its beginning if only headings have them. */
  readonly excerpt: string;
}

const HITS_MAX = 40;
/** Sections of one page that are listed. */
const HITS_OF_PAGE = 3;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 220;
/** What a word is worth by where it stands. */
const WEIGHTS = { title: 12, heading: 6, text: 1 };
/** Occurrences in a text beyond this count nothing. */
const OCCURRENCES_MAX = 4;

/** The words of a query: lower case, without punctuation at their ends. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/);
  return [...new Set(words.map((word) => word.replaceAll(/^[^\p{L}\p{N}#]+|[^\p{L}\p{N}]+$/gu, '')))].filter(Boolean);
}

/** The sections that contain every word of the query, the best first. */
export function searchSections(sections: readonly Section[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ section }) => section);
  return distinct(found)
    .slice(0, HITS_MAX)
    .map((section) => ({ section, excerpt: excerptOf(section.text, words) }));
}

/** The first sections of each page, without those that say the same as one before, such as what all routes have. */
function distinct(sections: readonly Section[]): Section[] {
  const texts = new Set<string>();
  const counts = new Map<string, number>();
  return sections.filter(({ pageTitle, text }) => {
    const count = counts.get(pageTitle) ?? 0;
    if (count === HITS_OF_PAGE || (text !== '' && texts.has(text))) return false;
    texts.add(text);
    counts.set(pageTitle, count + 1);
    return true;
  });
}

/** 0 if a word does not occur. */
function scoreOf({ pageTitle, heading, text }: Section, words: readonly string[]): number {
  const [title, head, body] = [pageTitle, heading, text].map((part) => part.toLowerCase()) as [string, string, string];
  let score = 0;
  for (const word of words) {
    const ofWord =
      (title.includes(word) ? WEIGHTS.title : 0) +
      (head.includes(word) ? WEIGHTS.heading : 0) +
      Math.min(OCCURRENCES_MAX, body.split(word).length - 1) * WEIGHTS.text;
    if (ofWord === 0) return 0;
    score += ofWord;
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - EXCERPT_BEFORE);
  const part = text.slice(start, start + EXCERPT_LENGTH).trim();
  return `${start > 0 ? '… ' : ''}${part}${start + EXCERPT_LENGTH < text.length ? ' …' : ''}`;
}
