/** How much is traded on each venue, counted from the channels of trades. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import {
  noTrading,
  stateOfTrading,
  type Trading,
  type TradingState,
  tradesPerSecond,
  withTrades,
} from '../format/trading.ts';
import { isPaused, isStopped } from './activity.ts';
import { type Resource, useResource } from './resource.ts';
import { serviceNow } from './service-clock.ts';
import { listen, silentSince, streamState } from './stream.ts';

/** Figures change once a second, however many trades come. */
const SHOWN_MS = 1_000;
const CAPABILITY = 'stream.trades';

export interface TradingRow {
  readonly provider: string;
  readonly state: TradingState | null;
  readonly tradesPerSecond: number | null;
  readonly delayMs: number | null;
  /** Unix ms. */
  readonly lastAt: number | null;
}
interface Providers {
  readonly providers: readonly { readonly provider: string; readonly capabilities: readonly string[] }[];
}

const channelOf = (provider: string): string => `svc:stream:trade:${provider}`;

/** The figures of every provider whose trades are streamed. Without a stream they are unknown. */
export function useTrading(): Resource<readonly TradingRow[]> {
  const known = useResource<Providers>('/providers');
  const providers = useComputed(() =>
    (known.data.value?.providers ?? []).flatMap(({ provider, capabilities }) =>
      capabilities.includes(CAPABILITY) ? [provider] : [],
    ),
  );
  const rows = useSignal<readonly TradingRow[] | null>(null);
  const at = useSignal<number | null>(null);
  const isStreaming = useComputed(() => streamState.value !== null);
  const isAway = useComputed(() => silentSince.value !== null);
  useSignalEffect(() => {
    // After a loss the counts begin anew: what was missed arrives in one moment.
    if (isStopped.value || isAway.value || known.data.value === null) return undefined;
    const counted = new Map<string, Trading>();
    if (isStreaming.value) for (const provider of providers.value) counted.set(provider, noTrading(serviceNow()));
    const stops = providers.value.map((provider) =>
      listen(channelOf(provider), (messages) => {
        const trades = messages.filter((message) => message.type === 'event');
        const [newest, trading] = [trades.at(-1), counted.get(provider)];
        if (newest && trading)
          counted.set(provider, withTrades(trading, serviceNow(), trades.length, newest.data.receivedAt));
      }),
    );
    const show = () => {
      at.value = serviceNow();
      rows.value = providers.value.map((provider) => rowOf(provider, counted.get(provider), serviceNow()));
    };
    show();
    const timer = setInterval(show, SHOWN_MS);
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    };
  });
  return { ...known, data: rows, at, isAway, isHalted: isPaused };
}

function rowOf(provider: string, trading: Trading | undefined, now: number): TradingRow {
  if (trading === undefined) return { provider, state: null, tradesPerSecond: null, delayMs: null, lastAt: null };
  const { delayMs, lastAt } = trading;
  return {
    provider,
    state: stateOfTrading(trading, now),
    tradesPerSecond: tradesPerSecond(trading, now),
    delayMs,
    lastAt,
  };
}
