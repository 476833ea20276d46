/** Builder dexes: `perpDexs` (venue page, section 3.1). */
import type { Emit } from '#infra/stages/stage';
import { asText, readList, readObject, readText } from '#schemas/domain/json-fields';
import { type PerpDex, perpDexTopic } from '#schemas/topics/normalised';
import { findGone } from '#schemas/venues/venue-a/missing-names';
import type { VenueAState } from './state.ts';

type DexMessage = Omit<PerpDex, 'receivedAt'>;

/** Reads the list of dexes, whose first entry is null, the main dex. Throws `FieldError`. */
export function readPerpDexes(body: unknown, field: string): readonly DexMessage[] {
  return readList(body, field).flatMap((value, index) => {
    if (value === null) return [];
    const place = `${field}[${index}]`;
    const { name, fullName, deployer } = readObject(value, place);
    return [
      {
        name: readText(name, `${place}.name`),
        fullName: asText(fullName),
        deployer: asText(deployer)?.toLowerCase() ?? null,
        delisted: false,
        index,
      },
    ];
  });
}

/** Emits the dexes that are new or changed, and those that are gone from the lists as delisted. */
export function emitPerpDexes(state: VenueAState, dexes: readonly DexMessage[], receivedAt: number, emit: Emit): void {
  const known = [...state.perpDexes.values()].filter(({ delisted }) => !delisted).map(({ name }) => name);
  const listed = new Set(dexes.map(({ name }) => name));
  for (const dex of dexes) emitIfChanged(state, dex, receivedAt, emit);
  emitDelistedDexes(state, findGone(state.missing.dexes, known, listed, receivedAt), receivedAt, emit);
}

/** Emits the dexes of these names as delisted. */
export function emitDelistedDexes(state: VenueAState, names: Iterable<string>, receivedAt: number, emit: Emit): void {
  for (const name of names) emitIfChanged(state, { ...state.perpDexes.get(name)!, delisted: true }, receivedAt, emit);
}

function emitIfChanged(state: VenueAState, dex: DexMessage, receivedAt: number, emit: Emit): void {
  const before = state.perpDexes.get(dex.name);
  if (before && isSame(before, dex)) return;
  const record: PerpDex = { ...dex, receivedAt };
  state.perpDexes.set(dex.name, record);
  emit(perpDexTopic, dex.name, record);
}

function isSame(a: DexMessage, b: DexMessage): boolean {
  return a.fullName === b.fullName && a.deployer === b.deployer && a.delisted === b.delisted && a.index === b.index;
}
