/**
 * Adds the builders of fills from the daily files of registered builders. The rows of followed accounts are retained
 * as long as events, so that a fill that arrives later finds its row.
 */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { type BuilderDay, type BuilderFill, builderDayKey } from '#schemas/topics/builder-exports';
import { accountName } from '#schemas/venues/accounts';
import { DAY_MS } from '#schemas/venues/venue-a/builder-export';
import { nameFills } from './add-fills.ts';
import { rowKey } from './builder-rows.ts';
import { type BuilderFileRows, type LedgersState, RETAINED_MS } from './state.ts';

export function onBuilderFill(
  state: LedgersState,
  { value: row, receivedAt }: StageRecord<BuilderFill>,
  emit: Emit,
): Slices | undefined {
  const file = fileOf(state, row);
  if (!file) return undefined;
  file.seen += 1;
  const account = accountName('venue_a', row.user);
  if (state.accounts.has(account)) {
    const key = rowKey(row);
    const rows = file.rowsOfKeys.get(account);
    if (rows) rows.set(key, (rows.get(key) ?? 0) + 1);
    else file.rowsOfKeys.set(account, new Map([[key, 1]]));
  }
  return nameFillsOf(state, file, receivedAt, emit);
}

/** A day may arrive before the rows of its file: both have the same event time. */
export function onBuilderDay(
  state: LedgersState,
  { value: day, receivedAt }: StageRecord<BuilderDay | null>,
  emit: Emit,
): Slices | undefined {
  const file = day && fileOf(state, day);
  if (!file) return undefined;
  file.rowsMax = day.rows;
  return nameFillsOf(state, file, receivedAt, emit);
}

/** Forgets the rows of fills that ledgers have folded. */
export function forgetBuilderFiles({ builderFiles }: LedgersState, now: number): void {
  for (const [key, { day }] of builderFiles) if (day + DAY_MS < now - RETAINED_MS) builderFiles.delete(key);
}

/** The file of a day that counts; null for a file that a later one has replaced. */
function fileOf(
  { builderFiles }: LedgersState,
  { builder, day, fileAt }: Pick<BuilderDay, 'builder' | 'day' | 'fileAt'>,
): BuilderFileRows | null {
  const key = builderDayKey(builder, day);
  const known = builderFiles.get(key);
  if (known && known.fileAt > fileAt) return null;
  if (known?.fileAt === fileAt) return known;
  const file: BuilderFileRows = { builder, day, fileAt, rowsMax: null, seen: 0, rowsOfKeys: new Map() };
  builderFiles.set(key, file);
  return file;
}

function nameFillsOf(state: LedgersState, file: BuilderFileRows, receivedAt: number, emit: Emit): Slices | undefined {
  if (file.seen !== file.rowsMax || file.rowsOfKeys.size === 0) return undefined;
  return nameAll(state, file, receivedAt, emit);
}

function* nameAll(state: LedgersState, file: BuilderFileRows, receivedAt: number, emit: Emit): Slices {
  for (const [account, rows] of file.rowsOfKeys)
    if (state.fills.has(account)) yield* nameFills(state, account, new Set(rows.keys()), receivedAt, emit);
}
