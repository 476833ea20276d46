/** A server of one channel, for random histories: it numbers, retains, replays, drops and loses events. */
import type { FakeSocket } from './fakes.fixture.ts';

interface Stored {
  readonly epoch: string;
  readonly seq: number;
  /** Position among all events that were ever published. */
  readonly index: number;
}

interface Served {
  readonly id: string;
  /** Events that were dropped since the last one that was sent. */
  dropped: Stored[];
  cursor: string;
}

export class ChannelServer {
  /** Every event that was ever published. */
  readonly published: Stored[] = [];
  /** Indices from which on events after a cursor are missing, by cursor. */
  readonly indexOfCursor = new Map<string, number>();
  /** True while subscribes with `since` are refused. */
  isBusy = false;
  /** True while events are dropped instead of sent. */
  isDropping = false;
  private readonly channel: string;
  private epochNumber = 1;
  private seq = 0;
  private retained: Stored[] = [];
  private socket: FakeSocket | null = null;
  private served = new Map<string, Served>();
  /** Frames on their way to the client. */
  private inFlight: object[] = [];
  private ids = 0;

  constructor(channel: string) {
    this.channel = channel;
    this.indexOfCursor.set(this.head, 0);
  }

  private get head(): string {
    return `e${this.epochNumber}.${this.seq}`;
  }

  accept(socket: FakeSocket): void {
    this.socket = socket;
    this.served = new Map();
    this.inFlight = [];
    socket.onSent = (frame) => {
      if (socket !== this.socket) return;
      if (frame.type === 'subscribe') this.subscribe(frame.since ?? null);
      if (frame.type === 'unsubscribe') this.served.delete(frame.subscription_id!);
      if (frame.type === 'ping') this.inFlight.push({ type: 'pong' });
    };
    socket.open();
  }

  /** Delivers some of the frames on their way. */
  flush(frames: number): void {
    const { socket } = this;
    for (const frame of this.inFlight.splice(0, frames)) if (socket === this.socket) socket?.receive(frame);
  }

  get hasFramesInFlight(): boolean {
    return this.inFlight.length > 0;
  }

  /** Ends the connection; frames on their way are lost. */
  cut(code: number): void {
    const { socket } = this;
    this.socket = null;
    this.inFlight = [];
    this.served.clear();
    socket?.end(code);
  }

  publish(): void {
    this.seq += 1;
    const event = { epoch: `e${this.epochNumber}`, seq: this.seq, index: this.published.length };
    this.published.push(event);
    this.retained.push(event);
    this.indexOfCursor.set(this.head, event.index + 1);
    for (const served of this.served.values()) {
      if (this.isDropping) served.dropped.push(event);
      else this.send(served, event);
    }
  }

  /** Removes the oldest retained events. */
  trim(events: number): void {
    this.retained.splice(0, events);
  }

  /** Builds the channel again: a new epoch without the earlier events. */
  rebuild(): void {
    this.retained = [];
    this.epochNumber += 1;
    this.seq = 0;
    this.indexOfCursor.set(this.head, this.published.length);
    for (const served of this.served.values()) {
      served.dropped = [];
      this.sendGap(served, served.cursor, this.head);
    }
  }

  private subscribe(since: string | null): void {
    const { channel } = this;
    if (this.isBusy && since !== null) {
      this.inFlight.push({ type: 'error', error: 'quota_exceeded', channel });
      return;
    }
    this.ids += 1;
    const served: Served = { id: `sub_${this.ids}`, dropped: [], cursor: since ?? this.head };
    this.served.set(served.id, served);
    this.inFlight.push({ type: 'subscribed', subscription_id: served.id, channel, cursor: served.cursor });
    if (since === null) return;
    const after = this.indexOfCursor.get(since)!;
    const following = this.retained.filter(({ index }) => index >= after);
    const first = this.retained[0];
    const isReachable = since.startsWith(`e${this.epochNumber}.`) && (first?.index ?? this.published.length) <= after;
    if (!isReachable) {
      const to = first ? `${first.epoch}.${first.seq - 1}` : this.head;
      this.sendGap(served, since, to);
    }
    for (const event of isReachable ? following : this.retained) this.send(served, event);
  }

  private sendGap(served: Served, from: string, to: string): void {
    this.inFlight.push({ type: 'gap', subscription_id: served.id, from, to, refill: null });
    served.cursor = to;
  }

  private send(served: Served, { epoch, seq }: Stored): void {
    const { id, dropped } = served;
    if (dropped.length > 0) {
      const [fromSeq, toSeq] = [dropped[0]!.seq, dropped.at(-1)!.seq];
      this.inFlight.push({ type: 'lagged', subscription_id: id, fromSeq, toSeq, dropped: dropped.length });
      served.dropped = [];
    }
    served.cursor = `${epoch}.${seq}`;
    const data = { type: 'event.spread', provider: null, marketId: null, payload: null, receivedAt: 1 };
    const { channel } = this;
    this.inFlight.push({ type: 'event', subscription_id: id, channel, epoch, seq, cursor: served.cursor, data });
  }
}
