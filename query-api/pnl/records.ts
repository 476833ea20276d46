/** The rows of `GET /v1/me/pnl` as REST returns them. */

import type { PlatformAttribution } from '#schemas/domain/control/rows';
import { type Decimal, toNumber } from '#schemas/domain/decimal';
import { PRICE_PROVIDERS } from '#schemas/domain/providers';
import { providerFamily } from '#schemas/venues/accounts';
import type { Position } from './event-terms.ts';
import type { Figures } from './figures.ts';
import type { BuilderRow, EventRow, ProviderRow, Row, WalletRow } from './rows.ts';

export type Coverage = 'complete' | 'partial';

/** A row is partial if one of its books is, and if nothing is known of one of its accounts or its history is not complete. */
export function coverageOf({
  books,
  figures,
  isPartial: isLoading,
}: Pick<Row, 'books' | 'figures' | 'isPartial'>): Coverage {
  const isIncomplete = isLoading === true || figures.tradeCount === null || books.some(({ isPartial }) => isPartial);
  return isIncomplete ? 'partial' : 'complete';
}

/** @param isComplete false if nothing is known of one of the wallets. */
export function toTotal(row: Pick<Row, 'books' | 'figures'>, isComplete: boolean) {
  const { realized, unrealized, totalNotional, unpriced, fees } = row.figures;
  return {
    realized: numberOf(realized),
    unrealized: numberOf(unrealized),
    totalNotional: numberOf(totalNotional),
    unpriced,
    fees: numberOf(fees),
    coverage: isComplete ? coverageOf(row) : ('partial' as const),
  };
}

export function toEventRecord(row: EventRow) {
  const { event, figures, position, legs } = row;
  return {
    universalId: event?.universalId ?? null,
    canonicalName: event?.canonicalName ?? coinOf(row),
    ...gainsOf(figures),
    ...positionRecord(position),
    tradeCount: figures.tradeCount,
    fees: numberOf(figures.fees),
    coverage: coverageOf(row),
    legs: legs.map((leg) => ({
      provider: leg.provider,
      marketId: leg.marketId,
      tokenId: leg.tokenId,
      outcome: leg.outcome,
      ...gainsOf(leg.figures),
      ...positionRecord(leg.position),
      tradeCount: leg.figures.tradeCount,
    })),
  };
}

/** A coin names its row; an outcome without an event has no name. */
function coinOf({ books }: EventRow): string | null {
  const { provider, instrument } = books[0]!;
  return PRICE_PROVIDERS.has(provider) ? instrument : null;
}

export function toWalletRecord(row: WalletRow) {
  const { id, provider, address, label } = row.wallet;
  return { walletId: id, provider, address, label, ...sumsOf(row) };
}

export function toProviderRecord(row: ProviderRow) {
  return { provider: row.provider, walletCount: row.walletCount, ...sumsOf(row) };
}

export function toBuilderRecord(row: BuilderRow, attributions: readonly PlatformAttribution[]) {
  const { builder, provider, books } = row;
  const family = providerFamily(books[0]!.wallet.provider);
  const registered = attributions.find((one) => one.provider === family && one.builder === builder);
  return { provider, builder, label: registered?.label ?? null, walletCount: row.walletCount, ...sumsOf(row) };
}

function sumsOf(row: Row) {
  const { openPosition, totalNotional, tradeCount, fees } = row.figures;
  return {
    ...gainsOf(row.figures),
    openPosition: numberOf(openPosition),
    totalNotional: numberOf(totalNotional),
    tradeCount,
    fees: numberOf(fees),
    coverage: coverageOf(row),
  };
}

function gainsOf({ realized, unrealized }: Figures) {
  return { realized: numberOf(realized), unrealized: numberOf(unrealized) };
}

function positionRecord({ qty, avgCost, currentPrice }: Position) {
  return { openPosition: toNumber(qty), avgCost: numberOf(avgCost), currentPrice: numberOf(currentPrice) };
}

function numberOf(value: Decimal | null): number | null {
  return value === null ? null : toNumber(value);
}
