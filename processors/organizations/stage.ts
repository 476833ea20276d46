/**
 * Emits the outputs for single organizations: their audit log, the fills of their bound wallets on
 * `user-trade:<orgId>`, and the deliveries of their webhooks. Commands and venue records come in one merged order here,
 * so the log alone determines who gets what, in a replay too.
 */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { VENUES } from '#schemas/domain/providers';
import { type FillPage, fillPageTopic, type SubscribedFills, subscribedFillTopic } from '#schemas/topics/account-fills';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
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
import { type Market, marketTopics, type Trade, tradeTopics } from '#schemas/topics/normalised';
import { type DisputePhase, disputeTopic, type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { expireInactiveChannels } from '../shared/channel-seqs.ts';
import { ORACLE_SLICES, updateYesIndex } from '../shared/oracle-state.ts';
import { onChange } from './on-change.ts';
import { onFills } from './on-liquidation.ts';
import { onAnomaly, onArbitrage, onSpread } from './on-market-event.ts';
import { oracleHandlers } from './on-oracle.ts';
import { onTrade } from './on-trade.ts';
import { createOrganizationsState, type OrganizationsState } from './state.ts';

/** Creates the stage `organizations`. */
export function createOrganizationsStage(): Stage<OrganizationsState> {
  return {
    name: 'organizations',
    // The state contains the control state, so raise this with `CONTROL_STATE_VERSION`.
    stateVersion: 8,
    // Rows of the control state are also in its indices, which find them by identity, so they are in one slice.
    slicedMaps: [
      ...ORACLE_SLICES,
      'boundAfter',
      'boundAt',
      'liquidations',
      'control.idempotency.current.answers',
      'control.idempotency.previous.answers',
      'seqs.active',
      'seqs.inactive',
      'seqs.due',
    ],
    inputs: [
      on<OrganizationsState, ControlChange>(changeTopic, onChange),
      ...VENUES.map((venue) =>
        // No catalog removes a market; the stage `events` writes a dead letter if one does.
        onKeyed<OrganizationsState, Market>(marketTopics[venue], (state, { value }) => {
          if (value) updateYesIndex(state, value);
        }),
      ),
      onKeyed<OrganizationsState, UniversalEvent>(eventTopic, (state, record, emit) => {
        oracleHandlers.onEvent(state, record, emit);
        expireChannels(state, record.receivedAt);
      }),
      on<OrganizationsState, Spread>(spreadTopic, onSpread),
      on<OrganizationsState, Arbitrage>(arbitrageTopic, onArbitrage),
      on<OrganizationsState, Anomaly>(anomalyTopic, onAnomaly),
      on<OrganizationsState, DisputePhase>(disputeTopic, oracleHandlers.onPhase),
      ...VENUES.map((venue) =>
        on<OrganizationsState, Resolution>(resolutionTopics[venue], oracleHandlers.onResolution),
      ),
      ...VENUES.map((venue) =>
        on<OrganizationsState, Trade>(tradeTopics[venue], (state, record, emit) => onTrade(state, record, venue, emit)),
      ),
      on<OrganizationsState, FillPage>(fillPageTopic, onFills),
      on<OrganizationsState, SubscribedFills>(subscribedFillTopic, onFills),
    ],
    outputs: [auditTopic, channelTopics.organizations, deliveryTopic],
    initialState: createOrganizationsState,
  };
}

/** Deletes the numbers of inactive channels whose organization does not exist any more. */
function expireChannels({ seqs, control }: OrganizationsState, now: number): void {
  expireInactiveChannels(
    seqs,
    channelTopics.organizations,
    now,
    (channel) => channel.kind === 'user-trade' && control.organizations.has(channel.orgId),
  );
}
