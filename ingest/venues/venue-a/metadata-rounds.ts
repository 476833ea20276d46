/** Rounds of metadata requests: the lists that determine the subscriptions, and then the settlements that are due. */
import type { ConnectionState } from '../../feed/connection-state.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { parseAnswer } from '../../feed/json.ts';
import { Poller } from '../../feed/poller.ts';
import type { AdapterContext } from '../adapter.ts';
import {
  METADATA_INTERVAL_MS,
  METADATA_MIN_INTERVAL_MS,
  OTHER_REQUESTS,
  REST_PRIORITIES,
  SUBSCRIPTION_REQUESTS,
} from './declaration.ts';
import type { EarlierCursor } from './earlier-cursor.ts';
import { EarlierOutcomes } from './earlier-outcomes.ts';
import type { MarketWatcher } from './market-watcher.ts';
import { type AnsweredLists, readOutcomes, readPerps, replaceEmptyLists } from './markets.ts';
import type { TrackedOutcomes } from './read-tracked-outcomes.ts';
import { requestSettlements } from './request-settlements.ts';

export interface MetadataRoundsOptions {
  readonly context: Pick<AdapterContext, 'publisher' | 'logger'>;
  readonly connection: ConnectionState;
  readonly watcher: Pick<MarketWatcher, 'setLists'>;
  readonly tracked: TrackedOutcomes;
  readonly cursor: EarlierCursor;
  /** Sends a request with this JSON text and publishes the answer. */
  readonly send: (request: string, signal: AbortSignal, priority: number) => Promise<Buffer>;
  /** Called after each complete round of lists. */
  readonly onLoaded: () => void;
}

export class MetadataRounds {
  private readonly options: MetadataRoundsOptions;
  private readonly earlier: EarlierOutcomes;
  private readonly poller: Poller;
  private previous: AnsweredLists | null = null;
  private settling: Promise<void> | null = null;

  /** Starts the first round. */
  constructor(options: MetadataRoundsOptions) {
    this.options = options;
    this.earlier = new EarlierOutcomes(options.cursor.outcome, performance.now());
    this.poller = new Poller({
      ...options.context,
      connection: options.connection,
      intervalMs: () => METADATA_INTERVAL_MS,
      minIntervalMs: METADATA_MIN_INTERVAL_MS,
      round: (signal) => this.round(signal),
    });
  }

  /** Starts the next round as soon as the minimum interval allows. */
  requestRound(): void {
    this.poller.requestRound();
  }

  async close(): Promise<void> {
    await this.poller.close();
    await this.settling;
  }

  private async round(signal: AbortSignal): Promise<void> {
    const { watcher, tracked, onLoaded } = this.options;
    const request = async (type: string) => parseAnswer(await this.sendType(type, signal), type);
    const [perpType, dexType, pairType, outcomeType] = SUBSCRIPTION_REQUESTS;
    const lists = { perps: await request(perpType), dexes: await request(dexType), pairs: await request(pairType) };
    const outcomes = this.outcomesOf(readOutcomes(await request(outcomeType)));
    watcher.setLists(this.completed(lists), outcomes);
    tracked.pending.addList(outcomes);
    tracked.missed.addList(outcomes);
    for (const type of OTHER_REQUESTS) await this.sendType(type, signal);
    onLoaded();
    this.settling ??= this.settle(outcomes, signal).finally(() => {
      this.settling = null;
    });
  }

  private sendType(type: string, signal: AbortSignal): Promise<Buffer> {
    return this.options.send(JSON.stringify({ type }), signal, REST_PRIORITIES.listings);
  }

  /** Outcomes never all end between two lists. An empty list is a wrong answer and ends none of them. */
  private outcomesOf(listed: readonly number[]): readonly number[] {
    const { context, tracked } = this.options;
    const outcomes = listed.length > 0 ? listed : tracked.pending.listed();
    if (outcomes.length > listed.length) context.logger.warn('outcomeMeta lists no outcome; using the previous list');
    return outcomes;
  }

  private completed(lists: AnsweredLists): AnsweredLists {
    if (readPerps(lists.perps).length === 0)
      throw new UpstreamError('upstream_malformed', 'metaAndAssetCtxs names no coin');
    const complete = replaceEmptyLists(lists, this.previous);
    if (complete.dexes !== lists.dexes || complete.pairs !== lists.pairs)
      this.options.context.logger.warn('allPerpMetas or spotMetaAndAssetCtxs lists nothing; using the previous list');
    this.previous = complete;
    return complete;
  }

  /** Requests settlements apart from the lists: many may be due at once, and wait for weight that lists do not need. */
  private async settle(listed: readonly number[], signal: AbortSignal): Promise<void> {
    const { context, tracked, cursor, send } = this.options;
    const requests = {
      ...tracked,
      earlier: this.earlier,
      logger: context.logger,
      send: (request: string, until: AbortSignal) => send(request, until, REST_PRIORITIES.settlements),
      saveCursor: (outcome: number | null, until: AbortSignal) => cursor.save(outcome, until),
    };
    try {
      await requestSettlements(requests, listed, signal);
    } catch (error) {
      // The lists show whether the venue is reachable; the next round requests what is due again.
      if (!signal.aborted) context.logger.warn({ error }, 'could not request a settlement');
    }
  }
}
