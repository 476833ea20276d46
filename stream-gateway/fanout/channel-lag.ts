/** Watches which channels carry old events because the stage that writes them is behind. */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { LAG_MAX_MS, type PipelineClock } from '#infra/stages/pipeline-clock';
import { type ChannelWriter, channelTopics } from '#schemas/topics/channels';

const INTERVAL_MS = 500;
const WRITERS = Object.keys(channelTopics) as ChannelWriter[];

/** `isBehind`: the channels of a writer lag. `since`: when that changed last, event time, unix ms. */
export interface WriterLag {
  readonly isBehind: boolean;
  readonly since: number;
}

/** The lag of every writer whose channels are or were behind. */
export type LaggingWriters = ReadonlyMap<ChannelWriter, WriterLag>;

export interface ChannelLagOptions {
  readonly clock: Pick<PipelineClock, 'isLive' | 'now'>;
  /** The newest known event time; null before there is one. */
  readonly newest: () => number | null;
  /** Event time up to which every event of a channel topic was sent; null before any is known. */
  readonly positionOf: (topic: string) => number | null;
  /** Called when a writer has begun to lag or has caught up. */
  readonly onChange: () => void;
  /** Called when watching ends by a fault. */
  readonly onFault: (error: unknown) => void;
}

export interface ChannelLag extends Running {
  readonly lagging: LaggingWriters;
  /** Age of the oldest of the channels' newest events, ms; 0 while nothing is known. */
  lagMs(): number;
}

/** Watches the writers of channels until it is closed. */
export function watchChannelLag({ clock, newest, positionOf, onChange, onFault }: ChannelLagOptions): ChannelLag {
  const lagging = new Map<ChannelWriter, WriterLag>();
  const closing = new AbortController();
  const lagOf = (writer: ChannelWriter): number => {
    const [position, now] = [positionOf(channelTopics[writer].name), clock.now(newest())];
    return position === null || now === null ? 0 : Math.max(0, now - position);
  };
  const sample = () => {
    let changed = false;
    for (const writer of WRITERS) {
      const isBehind = clock.isLive() && lagOf(writer) > LAG_MAX_MS;
      if (isBehind === (lagging.get(writer)?.isBehind ?? false)) continue;
      lagging.set(writer, { isBehind, since: positionOf(channelTopics[writer].name) ?? 0 });
      changed = true;
    }
    if (changed) onChange();
  };
  const run = async () => {
    while (await pause(INTERVAL_MS, closing.signal)) sample();
  };
  run().catch(onFault);
  return {
    lagging,
    lagMs: () => Math.max(...WRITERS.map(lagOf)),
    close: async () => closing.abort(),
  };
}
