/** Titles as venues list them, and what is recognised in them. */
import { expect } from 'vitest';
import { matchTitles, type TitleInput } from '../match-titles.ts';
import { recogniseTexts, type VenueTexts } from './recognise.ts';

/** Creates a market of venue_b without texts. */
export const texts = (changes: Partial<VenueTexts>): VenueTexts => ({
  venue: 'venue_b',
  marketId: '0xc',
  title: '',
  description: '',
  groupTitle: null,
  groupItemTitle: null,
  resolutionSource: null,
  endTimeMs: null,
  contextDay: '2031-03-05',
  fields: {},
  ...changes,
});

/** Recognises a market by its title. */
export const title = (text: string, changes: Partial<VenueTexts> = {}): ReturnType<typeof recogniseTexts> =>
  recogniseTexts(texts({ title: text, ...changes }));

/** All titles are read as if listed or closed near this day, a Wednesday, unless a test states another one. */
export const NEAR = '2031-03-05';

/** Returns the meaning of a title in a few words. */
export function read(title: string | null, changes: Partial<TitleInput> = {}): string {
  const input = { id: 'x', venue: 'venue_b', title, contextDate: NEAR, ...changes };
  const label = matchTitles([input]).labels.x;
  if (!label) return 'null';
  const { kind, underlying, threshold, op, semantics, resolutionDate, details } = label;
  if (kind === 'price_binary') return `${underlying} ${op} ${threshold} ${semantics} ${resolutionDate}`;
  if (kind === 'price_range') return `${underlying} ${details.lower}..${details.upper} ${resolutionDate}`;
  return kind === 'up_down' ? `${underlying} up_down ${resolutionDate}` : kind;
}

/** Expects the meaning of a title. */
export const expectRead = (title: string, expected: string): void => expect(read(title)).toBe(expected);

/** Expects that a title is not recognised as a price. */
export const expectNoPrice = (title: string): void => expect(read(title)).toMatch(/^(?:other|null)$/);

/** Matches two titles of two venues and returns true if their link is used. */
export function used(one: string, other: string, changes: Partial<TitleInput> = {}): boolean {
  const input = { venue: 'venue_b', contextDate: NEAR, ...changes };
  return matchTitles([
    { ...input, id: 'a', title: one },
    { ...input, id: 'b', venue: 'venue_x', title: other },
  ]).links.some((link) => link.used);
}
