/**
 * Subscriptions that several parts of a page share: each channel is subscribed once, whoever listens to it. Listeners
 * are called at most once a frame, with all messages that came since.
 */
import type { StreamClient, StreamMessage, Subscription } from '#stream-gateway/client/stream-client';

export type ChannelListener = (messages: readonly StreamMessage[]) => void;

/** With this many messages waiting, the client holds back further ones until the next frame. */
const BATCH_MAX = 500;

interface SharedChannel {
  readonly name: string;
  readonly listeners: Set<ChannelListener>;
  subscription: Subscription | null;
  waiting: StreamMessage[];
}

export interface ChannelHubOptions {
  readonly client: Pick<StreamClient, 'subscribe'>;
  /** Calls `work` before the next redraw. */
  readonly nextFrame: (work: () => void) => void;
  /** Called when events of a channel are missing for good. */
  readonly onGap: (channel: string) => void;
}

export class ChannelHub {
  private readonly options: ChannelHubOptions;
  private readonly channels = new Map<string, SharedChannel>();
  private isPaused = false;
  private isFrameAwaited = false;
  /** Called once the waiting messages were passed on. */
  private resolvers: (() => void)[] = [];

  constructor(options: ChannelHubOptions) {
    this.options = options;
  }

  /** Number of channels that somebody listens to. */
  get size(): number {
    return this.channels.size;
  }

  /** Listens to a channel from its next event on, until the returned function is called. */
  listen(name: string, listener: ChannelListener): () => void {
    let channel = this.channels.get(name);
    if (channel === undefined) {
      channel = { name, listeners: new Set(), subscription: null, waiting: [] };
      this.channels.set(name, channel);
      if (!this.isPaused) this.subscribe(channel);
    }
    const { listeners } = channel;
    listeners.add(listener);
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      channel.subscription?.close();
      this.channels.delete(name);
    };
  }

  /** Ends all subscriptions until `resume`. Messages that wait are dropped. */
  pause(): void {
    this.isPaused = true;
    for (const channel of this.channels.values()) {
      channel.subscription?.close();
      channel.subscription = null;
      channel.waiting = [];
    }
  }

  /** Subscribes again, from the next event on: what was published in between is read by REST. */
  resume(): void {
    this.isPaused = false;
    for (const channel of this.channels.values()) if (channel.subscription === null) this.subscribe(channel);
  }

  private subscribe(channel: SharedChannel): void {
    channel.subscription = this.options.client.subscribe({ channel: channel.name }, (message) =>
      this.receive(channel, message),
    );
  }

  private receive(channel: SharedChannel, message: StreamMessage): Promise<void> | undefined {
    if (message.type === 'gap') this.options.onGap(channel.name);
    channel.waiting.push(message);
    this.awaitFrame();
    if (channel.waiting.length < BATCH_MAX) return undefined;
    return new Promise((resolve) => this.resolvers.push(resolve));
  }

  private awaitFrame(): void {
    if (this.isFrameAwaited) return;
    this.isFrameAwaited = true;
    this.options.nextFrame(() => this.flush());
  }

  private flush(): void {
    this.isFrameAwaited = false;
    for (const channel of this.channels.values()) {
      const { waiting } = channel;
      if (waiting.length === 0) continue;
      channel.waiting = [];
      for (const listener of [...channel.listeners]) listener(waiting);
    }
    const resolvers = this.resolvers;
    this.resolvers = [];
    for (const resolve of resolvers) resolve();
  }
}
