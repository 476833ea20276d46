/**
 * Maintains the ledgers of followed accounts: what each of their events did, and what is open in each of their books.
 * Fills, resolutions and bindings come in one merged order, so the log alone determines the figures.
 */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import {
  accountFillTopic,
  type FillPage,
  fillLoadTopic,
  fillPageTopic,
  type SubscribedFills,
  subscribedFillTopic,
  tradeRecordingTopic,
} from '#schemas/topics/account-fills';
import { type VenueBAcquisition, venueBAcquisitionTopic } from '#schemas/topics/accounts';
import { type BuilderDay, type BuilderFill, builderDayTopic, builderFillTopic } from '#schemas/topics/builder-exports';
import { type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { type ClockMark, type ControlChange, changeTopic, clockTopic } from '#schemas/topics/control';
import { ledgerChangeTopic, ledgerCheckTopic } from '#schemas/topics/ledger-checks';
import { ledgerEventTopic, ledgerTopic, openBookTopic } from '#schemas/topics/ledgers';
import { type NodeFill, nodeFillTopic } from '#schemas/topics/node-fills';
import {
  type BackfilledEvent,
  backfilledEventTopic,
  backfilledTradeTopic,
  type Instrument,
  instrumentTopics,
  type Market,
  marketTopics,
  type PositionMove,
  positionMoveTopic,
  type Trade,
  tradeTopics,
} from '#schemas/topics/normalised';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { type FeedEvent, feedTopics } from '#schemas/topics/raw';
import { foldAccounts } from './change-account.ts';
import { onAcquisition } from './checks.ts';
import { onBackfilledEvent, onBackfilledTrade } from './on-backfilled-event.ts';
import { forgetBuilderFiles, onBuilderDay, onBuilderFill } from './on-builder-file.ts';
import { onChange } from './on-change.ts';
import { onFillPage, onNodeFill, onSubscribedFills, onTradeOfVenueA } from './on-fill-page.ts';
import { onInstrument } from './on-instrument.ts';
import { onMarketOfVenueB, onMove } from './on-move.ts';
import { onTrade } from './on-trade.ts';
import { onLeftOut, onTradeGap } from './recorded-trades.ts';
import { onMarket, onResolution } from './settlements.ts';
import { createLedgersState, type LedgersState } from './state.ts';

export function createLedgersStage(): Stage<LedgersState> {
  return {
    name: 'ledgers',
    // The state contains the control state, so raise this with `CONTROL_STATE_VERSION`.
    stateVersion: 12,
    slicedMaps: [
      'control.idempotency.current.answers',
      'control.idempotency.previous.answers',
      'accounts',
      'fillLoads',
      'fills',
      'builderFiles',
      'baseTokens',
      'checks',
      'holders',
      'instruments',
      'waitingMoves',
      'resolutions',
    ],
    inputs: [
      on<LedgersState, ControlChange>(changeTopic, onChange),
      on<LedgersState, ClockMark>(clockTopic, (state, { value }) => {
        if (!value.day) return;
        foldAccounts(state, value.receivedAt);
        forgetBuilderFiles(state, value.receivedAt);
      }),
      onKeyed<LedgersState, Market>(marketTopics.venue_a, onMarket),
      onKeyed<LedgersState, Market>(marketTopics.venue_b, onMarketOfVenueB),
      onKeyed<LedgersState, Instrument>(instrumentTopics.venue_a, onInstrument),
      on<LedgersState, Trade>(tradeTopics.venue_a, onTradeOfVenueA),
      on<LedgersState, Trade>(tradeTopics.venue_b, onTrade),
      on<LedgersState, VenueBAcquisition>(venueBAcquisitionTopic, onAcquisition),
      on<LedgersState, PositionMove>(positionMoveTopic, onMove),
      on<LedgersState, BackfilledEvent>(backfilledEventTopic, onBackfilledEvent),
      on<LedgersState, Trade>(backfilledTradeTopic, onBackfilledTrade),
      on<LedgersState, FillPage>(fillPageTopic, onFillPage),
      on<LedgersState, SubscribedFills>(subscribedFillTopic, onSubscribedFills),
      on<LedgersState, NodeFill>(nodeFillTopic, onNodeFill),
      on<LedgersState, BuilderFill>(builderFillTopic, onBuilderFill),
      onKeyed<LedgersState, BuilderDay>(builderDayTopic, onBuilderDay),
      on<LedgersState, CandleRange>(venueCandleRangeTopics.venue_a, onTradeGap),
      on<LedgersState, FeedEvent>(feedTopics.venue_a, onLeftOut),
      on<LedgersState, Resolution>(resolutionTopics.venue_a, onResolution),
      on<LedgersState, Resolution>(resolutionTopics.venue_b, onResolution),
    ],
    outputs: [
      fillLoadTopic,
      tradeRecordingTopic,
      accountFillTopic,
      ledgerTopic,
      ledgerEventTopic,
      openBookTopic,
      ledgerCheckTopic,
      ledgerChangeTopic,
    ],
    initialState: createLedgersState,
  };
}
