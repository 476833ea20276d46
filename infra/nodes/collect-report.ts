/** Collects what a process reports about itself from its metrics. */
import type { NodeReport } from '#schemas/topics/node-reports';
import { VERSION } from '../config/version.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface NodeIdentity {
  readonly node: string;
  readonly roles: readonly string[];
  /** Unix ms. */
  readonly startedAt: number;
}

export class ReportCollector {
  private readonly identity: NodeIdentity;
  private readonly metrics: Metrics;
  /** Records that each stage has processed up to the report before. */
  private processed = new Map<string, number>();
  private collectedAt = 0;

  constructor(identity: NodeIdentity, metrics: Metrics) {
    this.identity = identity;
    this.metrics = metrics;
  }

  /** @param now unix ms. */
  async collect(now: number): Promise<NodeReport> {
    const { feedBoard, socketsByKey } = this.metrics;
    return {
      ...this.identity,
      at: now,
      version: VERSION,
      stages: this.stages(now),
      feeds: feedBoard.states(now),
      sinkLagMs: await this.sinkLagMs(),
      keys: socketsByKey.read?.() ?? null,
      deadLetters: await this.deadLetters(),
    };
  }

  private stages(now: number): NodeReport['stages'] {
    const seconds = (now - this.collectedAt) / 1_000;
    const before = this.processed;
    this.processed = new Map();
    this.collectedAt = now;
    return [...this.metrics.stageLags].map(([stage, lag]) => {
      const processed = lag.processed();
      this.processed.set(stage, processed);
      const earlier = before.get(stage);
      // A stage that started anew counts from zero.
      const isRate = earlier !== undefined && processed >= earlier && seconds > 0;
      const eventsPerSecond = isRate ? Math.round(((processed - earlier) / seconds) * 10) / 10 : 0;
      return { stage, positionAt: lag.position(), lagMs: Math.round(lag.seconds() * 1_000), eventsPerSecond };
    });
  }

  private async sinkLagMs(): Promise<number | null> {
    const { values } = await this.metrics.sinkLagSeconds.get();
    return values.length === 0 ? null : Math.round(Math.max(...values.map(({ value }) => value)) * 1_000);
  }

  private async deadLetters(): Promise<NodeReport['deadLetters']> {
    const { values } = await this.metrics.deadLetters.get();
    return values.map(({ labels, value }) => ({
      topic: String(labels.topic),
      reason: String(labels.reason),
      count: value,
    }));
  }
}
