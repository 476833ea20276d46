/** Builder dexes: `perpDexs` (venue page, section 3.1). */
import type { Emit } from '#infra/stages/stage';
import { asText, readList, readObject, readText } from '#schemas/domain/json-fields';
import { type PerpDex, perpDexTopic } from '#schemas/topics/normalised';
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

/** Emits the dexes that are new or changed, and those that the list no longer contains as delisted. */
export function emitPerpDexes(state: VenueAState, dexes: readonly DexMessage[], receivedAt: number, emit: Emit): void {
  const listed = new Set(dexes.map(({ name }) => name));
  const removed = [...state.perpDexes.values()].filter(({ name }) => !listed.has(name));
  for (const dex of [...dexes, ...removed.map((known) => ({ ...known, delisted: true }))]) {
    const before = state.perpDexes.get(dex.name);
    if (before && isSame(before, dex)) continue;
    const record: PerpDex = { ...dex, receivedAt };
    state.perpDexes.set(dex.name, record);
    emit(perpDexTopic, dex.name, record);
  }
}

function isSame(a: DexMessage, b: DexMessage): boolean {
  return a.fullName === b.fullName && a.deployer === b.deployer && a.delisted === b.delisted && a.index === b.index;
}
