/** Records of decisions and anomalies, and a driver that returns the frames of each. */
import { aLink, aMarket, anAnomaly, aPhase, aResolution } from '#schemas/testing/records.fixture';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
import { channelTopics } from '#schemas/topics/channels';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { type DisputePhase, disputeTopic, type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { anEvent } from '../shared/oracle-records.fixture.ts';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { createChannelsStage } from './stage.ts';

/** The fields of a link to a market of venue_a whose YES is the event's NO. */
export const OUTCOME = { provider: 'venue_a_outcome', providerMarketId: '#70', polarity: 'inverse' } as const;
const venueOf = (provider: string) => (provider === 'venue_b' ? 'venue_b' : 'venue_a');

/** Drives the stage; every function returns the frames that its record caused. */
export function driveChannels() {
  const probe = probeStage(createChannelsStage());
  const frames = (outputs: DrivenOutput[]) =>
    emittedTo(outputs, channelTopics.events).map((frame) => ({ ...frame, payload: JSON.parse(frame.payload) }));
  return {
    probe,
    link: (event: UniversalEvent) => frames(probe.send(eventTopic, event.universalId, event)),
    market: (fields: Partial<Market>) =>
      probe.send(marketTopics[venueOf(fields.provider ?? 'venue_b')], '', aMarket(fields)),
    phase: (fields: Partial<DisputePhase> = {}) => frames(probe.send(disputeTopic, '', aPhase(fields))),
    resolution(fields: Partial<Resolution> = {}) {
      const value = aResolution(fields);
      return frames(probe.send(resolutionTopics[venueOf(value.provider)], value.marketId, value));
    },
    anomaly: (fields: Partial<Anomaly> = {}) => frames(probe.send(anomalyTopic, '', anAnomaly(fields))),
  };
}
type Frame = ReturnType<ReturnType<typeof driveChannels>['phase']>[number];
/** Returns the channel of each frame with the fields that distinguish it. */
export const summary = (frames: readonly Frame[]) =>
  frames.map(({ channel, payload }) => {
    const { phase, outcome, status } = payload;
    return `${channel.slice('svc:stream:'.length)} ${phase ?? outcome} ${status}`;
  });

/** Drives the stage with the event `evt_1` of one market of venue_b. */
export function driveLinked(): ReturnType<typeof driveChannels> {
  const all = driveChannels();
  all.link(anEvent('evt_1', [aLink()]));
  return all;
}
