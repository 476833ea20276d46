/** Finds the builders of fills of venue_a in the rows of builders' files (contract, Money: fills, backfill). Pure. */
import { canonicalDecimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import type { VenueAFill } from '#schemas/topics/account-fills';
import { type FillCopy, mergeCopies } from './merge-copies.ts';

/** A row of a file about a known user. */
export interface BuilderRow {
  readonly builder: string;
  /** What it has in common with its fill (`rowKey`). */
  readonly key: string;
}

type Keyed = Pick<VenueAFill, 'coin' | 'side' | 'price' | 'qty' | 'time'>;

/** What a fill and its row have in common: files state whole seconds. */
export function rowKey({ coin, side, price, qty, time }: Keyed): string {
  return `${coin} ${side} ${canonicalDecimal(price)} ${canonicalDecimal(qty)} ${Math.floor(time / 1000)}`;
}

/** True if a fill paid a builder that its sources do not name. */
export function lacksBuilder({ builder, builderFee }: VenueAFill): boolean {
  return builder === null && paysBuilder(builderFee);
}

const paysBuilder = (fee: string | null) => fee !== null && parseDecimal(fee) !== ZERO;

/**
 * Returns copies that name the builders of fills of one account. Equal fills get equal rows in their order; the rows of
 * fills whose builder another source names belong to these.
 * @param fills the copies of each fill of some keys, in the order of the fills.
 * @param rows all rows with these keys, in the order of their files.
 */
export function nameBuilders(fills: readonly (readonly FillCopy[])[], rows: readonly BuilderRow[]): FillCopy[] {
  const unused = new Map<string, BuilderRow[]>();
  for (const row of rows) {
    const equal = unused.get(row.key);
    if (equal) equal.push(row);
    else unused.set(row.key, [row]);
  }
  const stated = fills
    .map((copies) => mergeCopies(copies.filter(({ source }) => source !== 'exports')))
    .filter(({ builderFee }) => paysBuilder(builderFee));
  for (const fill of stated) {
    const equal = unused.get(rowKey(fill)) ?? [];
    const at = equal.findIndex(({ builder }) => builder === fill.builder);
    if (at >= 0) equal.splice(at, 1);
  }
  return stated.filter(lacksBuilder).flatMap((fill): FillCopy[] => {
    const row = unused.get(rowKey(fill))?.shift();
    return row ? [{ source: 'exports', fill: { ...fill, builder: row.builder } }] : [];
  });
}
