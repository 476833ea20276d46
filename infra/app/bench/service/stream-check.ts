/**
 * Derives from the frames of a subscriber of `/v1/stream` the time of its newest trade and the number of missed events.
 */

const SEQ = '"seq":';
const CHANNEL = '"channel":"';
const TIME = '"ts":"';
const ISO_LENGTH = '2026-01-15T12:10:00.000Z'.length;
const EVENT = '{"type":"event"';
/** Type, subscription, channel, epoch and number of an event are within this many bytes. */
const HEAD_BYTES = 400;

/** Checks the frames of one subscriber. Repeated numbers are ignored, since the gateway repeats none. */
export class StreamCheck {
  /** Number of missed events: jumps of `seq`, counts of `lagged` frames, and one for each `gap` or `error`. */
  missing = 0;
  /** Number of received event frames. */
  events = 0;
  /** Venue time of the newest trade of the timed channel, unix ms; null before the first. */
  newestTradeMs: number | null = null;
  private readonly lastSeq = new Map<string, number>();
  private readonly channelOf = new Map<string, string>();
  private readonly timedChannel: string | null;

  /** @param timedChannel the channel whose trades are timed; null for none. */
  constructor(timedChannel: string | null) {
    this.timedChannel = timedChannel;
  }

  frame(payload: Buffer): void {
    const head = payload.toString('latin1', 0, HEAD_BYTES);
    if (head.startsWith(EVENT)) this.event(head, payload);
    else this.control(JSON.parse(payload.toString('utf8')) as ControlFrame);
  }

  /** Resets the counts, not the last numbers. */
  reset(): void {
    this.missing = 0;
    this.events = 0;
  }

  private event(head: string, payload: Buffer): void {
    const channelAt = head.indexOf(CHANNEL) + CHANNEL.length;
    const channel = head.slice(channelAt, head.indexOf('"', channelAt));
    const seq = Number.parseInt(head.slice(head.indexOf(SEQ) + SEQ.length), 10);
    if (!Number.isSafeInteger(seq)) throw new Error(`an event frame without a number: ${head}`);
    const last = this.lastSeq.get(channel);
    if (last !== undefined && seq > last + 1) this.missing += seq - last - 1;
    if (last === undefined || seq > last) this.lastSeq.set(channel, seq);
    this.events += 1;
    if (channel === this.timedChannel) this.time(payload);
  }

  private time(payload: Buffer): void {
    const at = payload.indexOf(TIME);
    const ms =
      at < 0 ? Number.NaN : Date.parse(payload.toString('latin1', at + TIME.length, at + TIME.length + ISO_LENGTH));
    if (Number.isNaN(ms)) throw new Error(`a trade without a time: ${payload}`);
    this.newestTradeMs = Math.max(ms, this.newestTradeMs ?? ms);
  }

  private control(frame: ControlFrame): void {
    const { type, subscription_id: id = '' } = frame;
    const channel = this.channelOf.get(id) ?? '';
    if (type === 'subscribed') this.channelOf.set(id, frame.channel!);
    else if (type === 'lagged') {
      // The following jump of `seq` is the same loss and must not be counted again.
      this.missing += frame.dropped!;
      this.lastSeq.set(channel, Math.max(frame.toSeq!, this.lastSeq.get(channel) ?? 0));
    } else if (type === 'gap') {
      this.missing += 1;
      this.lastSeq.delete(channel);
    } else if (type === 'error') this.missing += 1;
  }

  /** Number of confirmed subscriptions. */
  get subscriptions(): number {
    return this.channelOf.size;
  }
}

interface ControlFrame {
  readonly type: string;
  readonly subscription_id?: string;
  readonly channel?: string;
  readonly toSeq?: number;
  readonly dropped?: number;
}
