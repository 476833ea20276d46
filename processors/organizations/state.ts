import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import { type ChannelSeqs, createChannelSeqs } from '../shared/channel-seqs.ts';
import { createOracleState, type OracleState } from '../shared/oracle-state.ts';

/** Newest `arrival` of a venue's trades that was taken, by topic. */
export type Arrivals = Readonly<Record<string, number>>;

/** Bounded by what organizations own, as `OracleState` says, and for the channels' numbers as `ChannelSeqs` says. */
export interface OrganizationsState extends OracleState {
  /** As the reducer left it at this place of the merged order. */
  readonly control: ControlState;
  readonly seqs: ChannelSeqs;
  /** Newest `arrival` taken of each partition, by topic. */
  readonly arrivals: Map<string, number[]>;
  /** Where the trades stood when a live binding began to count, by organization (suspended ones apart) and wallet id. */
  readonly boundAfter: Map<string, Map<string, Arrivals>>;
  /** How many market-wide events were taken at the newest receive time: what tells two of one moment apart. */
  moment: { readonly at: number; readonly events: number };
}

export function createOrganizationsState(): OrganizationsState {
  return {
    control: initialControlState(),
    seqs: createChannelSeqs(),
    ...createOracleState(),
    arrivals: new Map(),
    boundAfter: new Map(),
    moment: { at: 0, events: 0 },
  };
}
