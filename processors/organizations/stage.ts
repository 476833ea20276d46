/**
 * What the service says to single organizations: their audit log, the fills of their bound wallets on
 * `user-trade:<orgId>`, and the deliveries of their webhooks. Commands and what happens on the venues come in one merged
 * order here, so that who hears what follows from the log, in a replay too.
 */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { VENUES } from '#schemas/domain/providers';
import { auditTopic } from '#schemas/topics/audit';
import { channelTopics } from '#schemas/topics/channels';
import { type ControlChange, changeTopic } from '#schemas/topics/control';
import {
  type Arbitrage,
  arbitrageTopic,
  eventTopic,
  type Spread,
  spreadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { setSurvivor } from '../shared/merged-events.ts';
import { onChange } from './on-change.ts';
import { onArbitrage, onSpread } from './on-market-event.ts';
import { onTrade } from './on-trade.ts';
import { createOrganizationsState, type OrganizationsState } from './state.ts';

/** The stage `organizations`. */
export function createOrganizationsStage(): Stage<OrganizationsState> {
  return {
    name: 'organizations',
    inputs: [
      on<OrganizationsState, ControlChange>(changeTopic, onChange),
      onKeyed<OrganizationsState, UniversalEvent>(eventTopic, (state, { key, value }) =>
        setSurvivor(state.merged, key, value?.mergedInto ?? null),
      ),
      on<OrganizationsState, Spread>(spreadTopic, onSpread),
      on<OrganizationsState, Arbitrage>(arbitrageTopic, onArbitrage),
      ...VENUES.map((venue) =>
        on<OrganizationsState, Trade>(tradeTopics[venue], (state, event, emit) => onTrade(state, event, venue, emit)),
      ),
    ],
    outputs: [auditTopic, channelTopics.organizations, deliveryTopic],
    initialState: createOrganizationsState,
  };
}
