/**
 * Adds the builders of fills from the daily files of registered builders, and removes those whose rows a later file of the
 * day lacks. The rows of followed accounts are retained as long as events, so that a fill that arrives later finds its row.
 */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { type BuilderDay, type BuilderFill, builderDayKey } from '#schemas/topics/builder-exports';
import { accountName } from '#schemas/venues/accounts';
import { DAY_MS } from '#schemas/venues/venue-a/builder-export';
import { nameFills, removeNames } from './add-fills.ts';
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
  const replaced = known ? (isComplete(known) ? known.rowsOfKeys : known.replaced) : new Map();
  const file: BuilderFileRows = { builder, day, fileAt, rowsMax: null, seen: 0, rowsOfKeys: new Map(), replaced };
  builderFiles.set(key, file);
  return file;
}

const isComplete = ({ seen, rowsMax }: BuilderFileRows) => seen === rowsMax;

function nameFillsOf(state: LedgersState, file: BuilderFileRows, receivedAt: number, emit: Emit): Slices | undefined {
  if (!isComplete(file) || (file.rowsOfKeys.size === 0 && file.replaced.size === 0)) return undefined;
  return nameAll(state, file, receivedAt, emit);
}

function* nameAll(state: LedgersState, file: BuilderFileRows, receivedAt: number, emit: Emit): Slices {
  for (const account of new Set([...file.replaced.keys(), ...file.rowsOfKeys.keys()])) {
    if (!state.fills.has(account)) continue;
    const [rows, former] = [file.rowsOfKeys.get(account) ?? NO_ROWS, file.replaced.get(account) ?? NO_ROWS];
    const dropped = [...former].filter(([key, count]) => count > (rows.get(key) ?? 0)).map(([key]) => key);
    if (dropped.length > 0) {
      const { builder } = file;
      yield* removeNames(state, account, { keys: new Set(dropped), builder }, receivedAt, emit);
    }
    yield* nameFills(state, account, new Set([...rows.keys(), ...dropped]), receivedAt, emit);
  }
  file.replaced = new Map();
}

const NO_ROWS: ReadonlyMap<string, number> = new Map();
