/**
 * Merges the copies of one fill that several sources state, so that the result does not depend on the order in which they
 * arrived. Pure.
 */
import type { VenueAFill } from '#schemas/topics/account-fills';

/** The sources of fills: each field has the value of the first one that states it. */
const SOURCES = ['orders', 'twaps', 'subscription', 'node', 'exports'] as const;
export type FillSource = (typeof SOURCES)[number];

export interface FillCopy {
  readonly source: FillSource;
  readonly fill: VenueAFill;
}

/** Fields that a source can lack. */
const OPTIONAL = ['builderFee', 'builder', 'liquidatedUser', 'liquidationMark', 'liquidationMethod'] as const;

/**
 * Adds a copy. It replaces the former one of its source, but removes no field that the former one stated. Copies to which
 * the others leave no field are left out.
 * @returns the copies in the order of their sources.
 */
export function addCopy(copies: readonly FillCopy[], { source, fill }: FillCopy): readonly FillCopy[] {
  const former = copies.find((copy) => copy.source === source);
  const own = { source, fill: former ? withMissing(fill, former.fill) : fill };
  const all = [...copies.filter((copy) => copy !== former), own];
  all.sort((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
  return all.filter((copy, at) => at === 0 || addsFields(mergeCopies(all.slice(0, at)), copy.fill));
}

/** Returns the fill that copies of the same fill state together. There must be one. */
export function mergeCopies([first, ...others]: readonly FillCopy[]): VenueAFill {
  return others.reduce((merged, { fill }) => withMissing(merged, fill), first!.fill);
}

/** True if two fills state the same. */
export function isSameFill(a: VenueAFill, b: VenueAFill): boolean {
  return (Object.keys(a) as (keyof VenueAFill)[]).every((field) => a[field] === b[field]);
}

function addsFields(fill: VenueAFill, other: VenueAFill): boolean {
  return OPTIONAL.some((field) => fill[field] === null && other[field] !== null);
}

function withMissing(fill: VenueAFill, other: VenueAFill): VenueAFill {
  if (!addsFields(fill, other)) return fill;
  const missing = OPTIONAL.filter((field) => fill[field] === null).map((field) => [field, other[field]]);
  return { ...fill, ...Object.fromEntries(missing) };
}
