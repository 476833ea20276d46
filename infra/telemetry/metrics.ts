import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { KeySockets } from '#schemas/topics/node-reports';
import { createAccountMetrics } from './account-metrics.ts';
import { FeedBoard } from './feed-board.ts';

/** The figures of a stage that are read when metrics are collected. */
export interface StageLag {
  seconds(): number;
  /** Null while the log does not know. */
  records(): number | null;
  heldBytes(): number;
  /** Event time up to which everything is processed; null before any is known. */
  position(): number | null;
  /** Records processed since the start. */
  processed(): number;
}

/** A limit of a venue (weight, connections, …). */
export interface VenueLimit {
  readonly venue: string;
  readonly limit: string;
  readonly max: number;
  readonly used: () => number;
}

/** Every metric of the program, declared once; `/metrics` prints the registry. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const stageLags = new Map<string, StageLag>();
  new Gauge({
    name: 'parallax_stage_lag_seconds',
    help: "Age of what a stage has derived: the pipeline's time minus the event time up to which it has processed everything.",
    labelNames: ['stage'],
    registers,
    collect() {
      this.reset();
      for (const [stage, lag] of stageLags) this.set({ stage }, lag.seconds());
    },
  });
  new Gauge({
    name: 'parallax_stage_lag_records',
    help: 'Upper bound of the records in the inputs of a stage that it has not processed yet: offsets without a record count too.',
    labelNames: ['stage'],
    registers,
    collect() {
      this.reset();
      for (const [stage, lag] of stageLags) {
        const records = lag.records();
        if (records !== null) this.set({ stage }, records);
      }
    },
  });
  new Gauge({
    name: 'parallax_stage_held_bytes',
    help: 'Bytes of the records that a stage has read and not released yet; bounded, however far the stage is behind.',
    labelNames: ['stage'],
    registers,
    collect() {
      this.reset();
      for (const [stage, lag] of stageLags) this.set({ stage }, lag.heldBytes());
    },
  });
  const gatewayLag: { seconds: (() => number) | null } = { seconds: null };
  new Gauge({
    name: 'parallax_gateway_lag_seconds',
    help: "Age of what channels carry: the pipeline's time minus the event time up to which every event was sent, of the channel topic that is furthest behind.",
    registers,
    collect() {
      this.set(gatewayLag.seconds?.() ?? 0);
    },
  });
  const venueLimits = new Map<string, VenueLimit>();
  const venueGauge = (name: string, help: string, read: (limit: VenueLimit) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['venue', 'limit'],
      registers,
      collect() {
        this.reset();
        for (const entry of venueLimits.values()) this.set({ venue: entry.venue, limit: entry.limit }, read(entry));
      },
    });
  venueGauge('parallax_venue_limit', 'A limit of a venue.', ({ max }) => max);
  venueGauge('parallax_venue_limit_used', 'What counts against the limit of a venue now.', ({ used }) => used());
  return {
    registry,
    /** Set while a gateway runs in this process. */
    gatewayLag,
    /** Connections to venues of this process. */
    feedBoard: new FeedBoard(),
    /** Set while a gateway runs in this process: the sockets of each key. */
    socketsByKey: { read: null } as { read: (() => KeySockets[]) | null },
    /** Stages that run in this process, by name. */
    stageLags,
    /** Limits of venues that this process uses, by any name. */
    venueLimits,
    upstreamRequests: new Counter({
      name: 'parallax_upstream_requests_total',
      help: 'Requests to venues by source and outcome; each attempt counts. `no_room`: none was sent, since the limit was used up.',
      labelNames: ['source', 'outcome'],
      registers,
    }),
    registryMismatches: new Gauge({
      name: 'parallax_registry_mismatches',
      help: 'Schemas that the schema registry holds under other ids than the log, or not at all.',
      registers,
    }),
    deadLetters: new Counter({
      name: 'parallax_dead_letters_total',
      help: 'Records that could not be decoded or processed, by topic and reason; a record that is read again after a restart counts again.',
      labelNames: ['topic', 'reason'],
      registers,
    }),
    ingested: new Counter({
      name: 'parallax_ingested_total',
      help: 'Inputs received from venues and appended to the log.',
      labelNames: ['source'],
      registers,
    }),
    feedDisconnects: new Counter({
      name: 'parallax_feed_disconnects_total',
      help: 'Connections to venues that were lost.',
      labelNames: ['feed'],
      registers,
    }),
    venueLeftOut: new Gauge({
      name: 'parallax_venue_left_out',
      help: 'Markets whose trades or books are not subscribed, because the venue allows no more subscriptions.',
      labelNames: ['venue', 'kind'],
      registers,
    }),
    tradeHoles: new Counter({
      name: 'parallax_trade_holes_total',
      help: 'Gaps in the recorded trades of a market, detected when it was subscribed again.',
      labelNames: ['venue'],
      registers,
    }),
    ...createAccountMetrics(registers),
    stageRecords: new Counter({
      name: 'parallax_stage_records_total',
      help: 'Records processed by a stage.',
      labelNames: ['stage'],
      registers,
    }),
    stagePosition: new Gauge({
      name: 'parallax_stage_position_ms',
      help: 'Event time up to which a stage has processed everything.',
      labelNames: ['stage'],
      registers,
    }),
    inputRemoved: new Counter({
      name: 'parallax_stage_input_removed_total',
      help: 'Records that retention removed before a stage processed them; they are missing in its figures.',
      labelNames: ['stage', 'topic'],
      registers,
    }),
    rowsInserted: new Counter({
      name: 'parallax_rows_inserted_total',
      help: 'Rows inserted into the store.',
      labelNames: ['table'],
      registers,
    }),
    sinkLagRecords: new Gauge({
      name: 'parallax_sink_lag_records',
      help: 'Records in the topics of a table that the sink has not written yet.',
      labelNames: ['table'],
      registers,
    }),
    sinkLagSeconds: new Gauge({
      name: 'parallax_sink_lag_seconds',
      help: 'Event time of the newest record in the topics of a table minus that of the newest one that is written.',
      labelNames: ['table'],
      registers,
    }),
    logAppends: new Histogram({
      name: 'parallax_log_append_seconds',
      help: 'Time until the log acknowledged a batch of records, refused batches included.',
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    logUnavailable: new Counter({
      name: 'parallax_log_unavailable_seconds_total',
      help: 'Time between the first append that failed because the log was unavailable or full, and the next one that succeeded.',
      registers,
    }),
    httpRequests: new Histogram({
      name: 'parallax_http_request_seconds',
      help: 'Time to answer a REST request.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    queries: new Histogram({
      name: 'parallax_query_seconds',
      help: 'Time of a query of REST in the store, failed ones included; queries that are sent as one statement count once.',
      labelNames: ['query'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    sockets: new Gauge({ name: 'parallax_sockets', help: 'Open WebSocket connections of clients.', registers }),
    framesSent: new Counter({ name: 'parallax_frames_sent_total', help: 'Event frames sent to sockets.', registers }),
    channelGaps: new Counter({
      name: 'parallax_channel_gaps_total',
      help: 'Sequence gaps of channels in the log, by topic; a gap counts once in each process that finds it.',
      labelNames: ['topic'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'parallax_webhook_attempts_total',
      help: 'Attempts to deliver webhooks, by outcome: a class of status, or why there was no answer.',
      labelNames: ['outcome'],
      registers,
    }),
    webhooksPending: new Gauge({
      name: 'parallax_webhook_deliveries_pending',
      help: 'Webhook deliveries that are waiting or being attempted.',
      registers,
    }),
    framesDropped: new Counter({
      name: 'parallax_frames_dropped_total',
      help: 'Event frames that were not sent, by reason: the client read too slowly (`slow`), or the quota of its organization was used up (`quota`).',
      labelNames: ['reason'],
      registers,
    }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
