/** Values each complete acquisition of an account once. Whatever states the value of an account returns this record. */
import { on, type Stage } from '#infra/stages/stage';
import {
  accountValueTopic,
  failedAcquisitionTopics,
  venueAAcquisitionTopic,
  venueBAcquisitionTopic,
} from '#schemas/topics/accounts';
import { resolutionTopics } from '#schemas/topics/oracle';
import { onFailedAcquisition } from './failed.ts';
import { onResolution } from './settled-outcomes.ts';
import { type AccountsState, createAccountsState } from './state.ts';
import { onVenueAAcquisition } from './venue-a.ts';
import { onVenueBAcquisition } from './venue-b.ts';

export function createAccountsStage(): Stage<AccountsState> {
  return {
    name: 'accounts',
    stateVersion: 2,
    slicedMaps: ['payouts', 'sides'],
    inputs: [
      on(resolutionTopics.venue_a, onResolution),
      on(venueAAcquisitionTopic, onVenueAAcquisition),
      on(venueBAcquisitionTopic, onVenueBAcquisition),
      on(failedAcquisitionTopics.venue_a, onFailedAcquisition),
      on(failedAcquisitionTopics.venue_b, onFailedAcquisition),
    ],
    outputs: [accountValueTopic],
    initialState: createAccountsState,
  };
}
