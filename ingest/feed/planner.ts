/**
 * Decides what may be sent to a venue, and when: it has a queue for each of the venue's limits, the most important first.
 * Everything that sends requests, connects or subscribes goes through it (`README.md`, Limits of a venue).
 */
import type { Metrics } from '#infra/telemetry/metrics';
import type { Venue } from '#schemas/domain/providers';
import { Budget } from './budget.ts';
import type { Reservation, Reserved } from './budget-options.ts';
import { type Attempt, ConnectionGate } from './connection-gate.ts';
import { SpendingLog, type SpendingLogOptions } from './spending-log.ts';

export interface Limit {
  /** The limit that the venue states. */
  readonly max: number;
  /** The part of it that is used; all by default. */
  readonly used?: number;
  /** The time over which the venue counts; of what is open at the same time, how long the venue may take to notice its end. */
  readonly windowMs: number;
  /** How much one record grants. What a killed process did not spend of it counts all the same. */
  readonly chunk: number;
  readonly reserved?: Reserved;
}

/** The limits of a venue, as its declaration states them. */
export interface Limits {
  /** REST weight within the window. */
  readonly weight: Limit;
  /** Connections that are open at the same time. */
  readonly connections: Limit;
  /** Attempts to connect within the window. */
  readonly newConnections: Limit;
  /** Subscriptions of all connections. */
  readonly subscriptions: Limit;
  /** Frames that are sent within the window, over all connections. */
  readonly messages: Limit;
}

/** A connection that may be opened. */
export interface ConnectionPermit {
  /** Called when the venue accepted or refused the connection. */
  readonly attempted: () => void;
  /** Called with the first frame of the venue. */
  readonly works: () => void;
  /** Called when it has ended, or is not used any more. */
  readonly ended: () => void;
  /**
   * Called after `ended`, when it counts no more at the venue.
   * @param isConfirmed the venue ended the connection or confirmed its end; else it counts for the window of the budget.
   */
  readonly released: (isConfirmed: boolean) => void;
}

/** The limits of a venue's sockets. */
export interface SocketBudgets {
  readonly connections: Budget;
  readonly newConnections: Budget;
  readonly messages: Budget;
}

export class SocketPlanner {
  private readonly budgets: SocketBudgets;
  private readonly gate: ConnectionGate;

  constructor(budgets: SocketBudgets, gate = new ConnectionGate()) {
    this.budgets = budgets;
    this.gate = gate;
  }

  /** True while the venue refuses connections; `openConnection` then waits for a probe. */
  get isRefused(): boolean {
    return this.gate.isRefusing;
  }

  /** Resolves when a connection may be opened. @param priority lower numbers first. */
  async openConnection(priority: number, signal: AbortSignal): Promise<ConnectionPermit> {
    const { connections, newConnections } = this.budgets;
    const attempt = await this.gate.enter(priority, signal);
    const reservations: Reservation[] = [];
    try {
      for (const budget of [connections, newConnections])
        reservations.push(await budget.reserve(1, { priority, signal }));
    } catch (error) {
      attempt.cancel();
      for (const reservation of reservations) reservation.settle(0);
      throw error;
    }
    return permitOf(attempt, reservations[0]!, reservations[1]!);
  }

  /** Resolves when a frame may be sent. @param priority lower numbers first. */
  async openMessage(priority: number, signal: AbortSignal): Promise<void> {
    (await this.budgets.messages.reserve(1, { priority, signal })).settle();
  }
}

function permitOf(attempt: Attempt, open: Reservation, opening: Reservation): ConnectionPermit {
  return {
    attempted: () => opening.settle(),
    works: attempt.succeed,
    ended: () => {
      opening.settle();
      attempt.fail();
    },
    released: (isConfirmed) => open.settle(isConfirmed ? 0 : 1),
  };
}

export class VenuePlanner {
  readonly weight: Budget;
  readonly subscriptions: Budget;
  readonly sockets: SocketPlanner;
  private readonly budgets: readonly Budget[];
  private readonly spending: SpendingLog;
  private readonly logger: SpendingLogOptions['logger'];

  private constructor(limits: Limits, spending: SpendingLog, options: VenuePlannerOptions) {
    const { venue, metrics, logger } = options;
    this.spending = spending;
    this.logger = logger;
    const budgetOf = (limit: string, { max, used = max, windowMs, chunk, reserved }: Limit) => {
      const grants = spending.grantsOf(limit, chunk);
      const budget = new Budget({ max: used, windowMs, grants, ...(reserved ? { reserved } : {}) });
      metrics.venueLimits.set(`${venue} ${limit}`, { venue, limit, max, used: () => budget.used });
      return budget;
    };
    this.weight = budgetOf('weight', limits.weight);
    this.subscriptions = budgetOf('subscriptions', limits.subscriptions);
    const sockets: SocketBudgets = {
      connections: budgetOf('connections', limits.connections),
      newConnections: budgetOf('new_connections', limits.newConnections),
      messages: budgetOf('messages', limits.messages),
    };
    this.sockets = new SocketPlanner(sockets);
    this.budgets = [this.weight, this.subscriptions, ...Object.values(sockets)];
  }

  /** Reads what earlier processes spent. Needs the lease of ingest. */
  static async open(limits: Limits, options: VenuePlannerOptions): Promise<VenuePlanner> {
    return new VenuePlanner(limits, await SpendingLog.open(options), options);
  }

  /** Stores that nothing more is spent. Call it when everything that spends is closed. */
  async close(): Promise<void> {
    this.spending.stopRetrying();
    const closed = await Promise.allSettled(this.budgets.map((budget) => budget.close()));
    const failed = closed.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    // The next process then counts what was granted as spent.
    if (failed) this.logger.warn({ error: failed.reason }, 'could not store what was spent of the limits of a venue');
  }
}

export interface VenuePlannerOptions extends SpendingLogOptions {
  readonly venue: Venue;
  readonly metrics: Metrics;
}
