/** The limits of the venue as it counts them, for all clients together (venue page, section 8), and what exceeded them. */

export const LIMITS = {
  weight: 1_200,
  connections: 10,
  newConnections: 30,
  subscriptions: 1_000,
  users: 10,
  messages: 2_000,
} as const;
export type LimitName = keyof typeof LIMITS;
const MINUTE_MS = 60_000;

const LIGHT = new Set([
  'l2Book',
  'allMids',
  'clearinghouseState',
  'orderStatus',
  'spotClearinghouseState',
  'exchangeStatus',
]);
/** Rows that add one to the weight. */
const ROWS: Readonly<Record<string, number>> = {
  recentTrades: 20,
  historicalOrders: 20,
  userFills: 20,
  userFillsByTime: 20,
  userTwapSliceFillsByTime: 20,
  fundingHistory: 20,
  candleSnapshot: 60,
};

/** Weight of a request before its response is known. */
const baseWeight = (type: string): number => (LIGHT.has(type) ? 2 : type === 'userRole' ? 60 : 20);

/** Costs of the trailing minute. */
class Window {
  private readonly windowMs: number;
  private readonly now: () => number;
  private spent: { readonly at: number; readonly cost: number }[] = [];
  private sum = 0;

  constructor(windowMs: number, now: () => number) {
    this.windowMs = windowMs;
    this.now = now;
  }

  get used(): number {
    const expired = this.now() - this.windowMs;
    const first = this.spent.findIndex(({ at }) => at > expired);
    for (const { cost } of this.spent.splice(0, first < 0 ? this.spent.length : first)) this.sum -= cost;
    return this.sum;
  }

  add(cost: number): void {
    this.spent.push({ at: this.now(), cost });
    this.sum += cost;
  }
}

export interface VenueLimits {
  /** Counts a request; false if the limit refuses it. */
  acceptRequest(type: string): boolean;
  /** Adds the weight of the rows of a response. */
  addRows(type: string, text: string): void;
  /** Counts an attempt to connect; false if a limit refuses it. @param open open connections. */
  acceptConnection(open: number): boolean;
  /** False if the limit refuses one more. @param open subscriptions of all clients. */
  acceptSubscription(open: number): boolean;
  /** False if the limit refuses another user of the user channels. @param users those of all clients, with this one. */
  acceptUser(users: number): boolean;
  /** Counts a frame of a client; false if the limit refuses it. */
  acceptMessage(): boolean;
  /** How often each limit was exceeded. */
  readonly exceeded: Readonly<Record<LimitName, number>>;
}

/** @param minuteMs the time over which it counts. @param now monotonic ms. */
export function createVenueLimits(minuteMs = MINUTE_MS, now = () => performance.now()): VenueLimits {
  const exceeded = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 0])) as Record<LimitName, number>;
  const weight = new Window(minuteMs, now);
  const newConnections = new Window(minuteMs, now);
  const messages = new Window(minuteMs, now);
  const check = (name: LimitName, used: number): boolean => {
    if (used <= LIMITS[name]) return true;
    exceeded[name] += 1;
    return false;
  };
  return {
    exceeded,
    acceptRequest(type) {
      const cost = baseWeight(type);
      if (!check('weight', weight.used + cost)) return false;
      weight.add(cost);
      return true;
    },
    addRows(type, text) {
      const rows = ROWS[type];
      if (rows === undefined) return;
      const list: unknown = JSON.parse(text);
      if (!Array.isArray(list)) return;
      weight.add(Math.ceil(list.length / rows));
      check('weight', weight.used);
    },
    acceptConnection(open) {
      newConnections.add(1);
      // Both count.
      const isFewOpen = check('connections', open + 1);
      return check('newConnections', newConnections.used) && isFewOpen;
    },
    acceptSubscription: (open) => check('subscriptions', open + 1),
    acceptUser: (users) => check('users', users),
    acceptMessage() {
      messages.add(1);
      return check('messages', messages.used);
    },
  };
}
