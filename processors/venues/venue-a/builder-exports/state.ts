import { type ControlState, initialControlState } from '#schemas/domain/control/state';

/** A file whose parts are arriving. */
export interface OpenFile {
  readonly request: string;
  /** When its first part was received. */
  readonly receivedAt: number;
  readonly count: number;
  readonly texts: string[];
}

/** What counts of a day. */
export interface KnownDay {
  /** Of its file; null if there is none. */
  readonly sha256: string | null;
}

export interface BuilderExportsState {
  /** State of the reducer at this position of the merged order: which builders are registered. */
  readonly control: ControlState;
  /** Registered builders. Bounded by what organizations own. */
  readonly builders: Set<string>;
  /** Days of the last two months that have arrived, by key. */
  readonly days: Map<string, KnownDay>;
  /** Null between two files. */
  open: OpenFile | null;
}

export const createBuilderExportsState = (): BuilderExportsState => ({
  control: initialControlState(),
  builders: new Set(),
  days: new Map(),
  open: null,
});
