import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import { type ChannelSeqs, createChannelSeqs } from '../shared/channel-seqs.ts';
import type { NewestArrivals } from '../shared/new-arrivals.ts';
import { createOracleState, type OracleState } from '../shared/oracle-state.ts';

/** Newest processed `arrival` of a venue's trades, by topic. */
export type Arrivals = Readonly<Record<string, number>>;

/** Bounded by what organizations own, and like `OracleState` and `ChannelSeqs`. */
export interface OrganizationsState extends OracleState {
  /** State of the reducer at this position of the merged order. */
  readonly control: ControlState;
  readonly seqs: ChannelSeqs;
  /** Newest processed `arrival` of each partition, by topic. */
  readonly arrivals: NewestArrivals;
  /** Arrivals at the start of a live binding, by organization (except suspended ones) and wallet id. */
  readonly boundAfter: Map<string, Map<string, Arrivals>>;
  /** Event time at the start of a live binding, by wallet id; only where `boundAfter` has it. */
  readonly boundAt: Map<string, number>;
  /** Account and fill of the newest liquidations that were delivered. */
  readonly liquidations: Set<string>;
  /** Market-wide events at the newest receive time by type and subject: their number distinguishes those of one ms. */
  eventsAt: { receivedAt: number; counts: Map<string, number> };
}

export function createOrganizationsState(): OrganizationsState {
  return {
    control: initialControlState(),
    seqs: createChannelSeqs(),
    ...createOracleState(),
    arrivals: new Map(),
    boundAfter: new Map(),
    boundAt: new Map(),
    liquidations: new Set(),
    eventsAt: { receivedAt: 0, counts: new Map() },
  };
}
