/**
 * Publishes what this process reports about itself to `control.node-reports`, and holds the newest report of every
 * process. A process that ended is missing a few seconds later.
 */
import { hostname } from 'node:os';
import { type NodeReport, nodeReportTopic } from '#schemas/topics/node-reports';
import type { Settings } from '../config/settings.ts';
import { sharedPerLog } from '../log/shared-per-log.ts';
import { type FollowerContext, TopicFollower } from '../stages/topic-follower.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ReportCollector } from './collect-report.ts';

const AT = { topic: nodeReportTopic.name, partition: 0 };
const PUBLISH_INTERVAL_MS = 2_000;
/** A report that arrived longer ago is no state of now. */
const REPORT_AGE_MAX_MS = 5_000;

export interface NodeReports {
  /** The reports of the last seconds, sorted by node. */
  current(): NodeReport[];
  close(): Promise<void>;
}

interface ReportsContext extends FollowerContext {
  readonly settings: Pick<Settings, 'node' | 'roles'>;
  readonly metrics: Metrics;
}

/** The roles of one process share one instance. */
export const openNodeReports: (context: ReportsContext) => Promise<NodeReports> = sharedPerLog(start);

async function start(context: ReportsContext): Promise<NodeReports> {
  const { log, codec } = context;
  await log.createTopics([nodeReportTopic]);
  await codec.prepare([nodeReportTopic]);
  const reports = new LogNodeReports(context, await log.offsetAt(AT, Date.now() - REPORT_AGE_MAX_MS));
  await reports.start();
  return reports;
}

class LogNodeReports implements NodeReports {
  private readonly context: ReportsContext;
  private readonly collector: ReportCollector;
  private readonly follower: TopicFollower<NodeReport>;
  /** By node, with the time of arrival: clocks of nodes differ. */
  private readonly newest = new Map<string, { readonly report: NodeReport; readonly arrivedAt: number }>();
  private timer: NodeJS.Timeout | undefined;
  private publishing: Promise<void> | null = null;
  private lastReceivedAt = 0;
  private hasPublished = true;

  constructor(context: ReportsContext, from: number) {
    this.context = context;
    const { node, roles } = context.settings;
    const startedAt = Math.round(performance.timeOrigin);
    this.collector = new ReportCollector({ node: node ?? hostname(), roles, startedAt }, context.metrics);
    this.follower = new TopicFollower(context, {
      topic: nodeReportTopic,
      part: 'node-reports',
      from,
      handle: (report, { receivedAt }) => {
        this.lastReceivedAt = Math.max(this.lastReceivedAt, receivedAt);
        this.newest.set(report.node, { report, arrivedAt: performance.now() });
      },
    });
  }

  async start(): Promise<void> {
    await this.follower.catchUp();
    await this.follower.start();
    // A log that accepts nothing must not gather reports.
    const publish = () => {
      this.publishing ??= this.publish().finally(() => {
        this.publishing = null;
      });
    };
    publish();
    this.timer = setInterval(publish, PUBLISH_INTERVAL_MS);
  }

  current(): NodeReport[] {
    const since = performance.now() - REPORT_AGE_MAX_MS;
    for (const [node, { arrivedAt }] of this.newest) if (arrivedAt < since) this.newest.delete(node);
    return [...this.newest.values()].map(({ report }) => report).sort((a, b) => (a.node < b.node ? -1 : 1));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.publishing;
    await this.follower.close();
  }

  private async publish(): Promise<void> {
    const { log, codec, logger } = this.context;
    try {
      const now = Date.now();
      const report = await this.collector.collect(now);
      this.lastReceivedAt = Math.max(this.lastReceivedAt, now);
      const value = codec.encode(nodeReportTopic, report);
      await log.append([{ ...AT, key: report.node, value, receivedAt: this.lastReceivedAt, seq: 0 }]);
      this.hasPublished = true;
    } catch (error) {
      // The next interval tries again; logged once.
      if (this.hasPublished) logger.warn({ error }, 'could not publish the report of this node, retrying');
      this.hasPublished = false;
    }
  }
}
