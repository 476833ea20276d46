/**
 * Values each complete acquisition of an account once: whatever states the value of an account returns this record. The
 * first value after an hour mark is the hour's snapshot of a followed account.
 */
import { on, type Stage } from '#infra/stages/stage';
import {
  accountValueTopic,
  type VenueAAcquisition,
  type VenueBAcquisition,
  venueAAcquisitionTopic,
  venueBAcquisitionTopic,
} from '#schemas/topics/accounts';
import { type ControlChange, changeTopic } from '#schemas/topics/control';
import { navSnapshotTopic, snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { onResolution } from './settled-outcomes.ts';
import { onChange } from './snapshots.ts';
import { type AccountsState, createAccountsState } from './state.ts';
import { onVenueAAcquisition } from './venue-a.ts';
import { onVenueBAcquisition } from './venue-b.ts';

export function createAccountsStage(): Stage<AccountsState> {
  return {
    name: 'accounts',
    // The state contains the control state, so raise this with `CONTROL_STATE_VERSION`.
    stateVersion: 2,
    slicedMaps: [
      'control.idempotency.current.answers',
      'control.idempotency.previous.answers',
      'followed',
      'payouts',
      'sides',
    ],
    inputs: [
      on<AccountsState, ControlChange>(changeTopic, onChange),
      on<AccountsState, Resolution>(resolutionTopics.venue_a, onResolution),
      on<AccountsState, VenueAAcquisition>(venueAAcquisitionTopic, onVenueAAcquisition),
      on<AccountsState, VenueBAcquisition>(venueBAcquisitionTopic, onVenueBAcquisition),
    ],
    outputs: [accountValueTopic, navSnapshotTopic, snapshotHeadTopic],
    initialState: createAccountsState,
  };
}
