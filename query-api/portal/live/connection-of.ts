/** Whether what the page shows arrives live, by everything that is known of the connection; pure. */

export type Connection = 'connecting' | 'live' | 'waiting' | 'offline';

export interface ConnectionInputs {
  /** State of the socket; null if this session does not use the stream. */
  readonly streamState: Connection | null;
  /** Unix ms since which the socket is away; null while it is there. */
  readonly awaySince: number | null;
  /** Unix ms since which the socket sends no events, as the quota of messages is used up; null while it sends. */
  readonly quotaSince: number | null;
  /** Number of subscriptions of what the page shows. */
  readonly subscriptions: number;
  /** True from when the tab is hidden until shortly after it is seen. */
  readonly isResuming: boolean;
  /** Unix ms since which the person has live updates paused; null while they are not. */
  readonly pausedAt: number | null;
  /** HTTP status of each failed read that is repeated; 0 without an answer. */
  readonly faults: readonly number[];
  /** Unix ms of the newest response of such a read; null before the first one. */
  readonly lastResponseAt: number | null;
}

export interface ConnectionView {
  readonly state: Connection;
  readonly text: string;
  /** Unix ms since which the page is not live; null while it is, and while that is unknown. */
  readonly since: number | null;
  /** True while the page is not live although nobody paused it, and the person must be informed of it. */
  readonly isOffline: boolean;
  /** True for a session that may subscribe to no channel, while what it reads again and again is returned. */
  readonly isPolling: boolean;
}

const TEXTS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Waiting',
  offline: 'Not connected',
};

const CONNECTED = 'Connected';

/** Only a socket that sends is `live`. Without one the page is `waiting`, or `offline` while nothing is reached. */
export function connectionOf(inputs: ConnectionInputs): ConnectionView {
  const { streamState, pausedAt } = inputs;
  const view = streamState === null ? withoutSocket(inputs) : withSocket(streamState, inputs);
  if (pausedAt === null) return view;
  const state = view.state === 'live' ? 'waiting' : view.state;
  return { ...view, state, text: 'Paused', since: pausedAt };
}

function withSocket(streamState: Connection, inputs: ConnectionInputs): ConnectionView {
  const { awaySince, quotaSince, subscriptions, isResuming } = inputs;
  const isOffline = awaySince !== null && !isResuming;
  const isSilent = streamState === 'live' && quotaSince !== null;
  const state = isSilent ? 'waiting' : streamState;
  const since = isOffline ? awaySince : isSilent ? quotaSince : null;
  // A page without subscriptions reads by REST alone, whatever the socket does.
  const isIdle = state === 'live' && subscriptions === 0;
  // While the socket is away, attempts come and go; the text stays.
  const text = isIdle ? CONNECTED : TEXTS[isOffline ? 'offline' : state];
  return { state, text, since, isOffline, isPolling: false };
}

function withoutSocket({ faults, lastResponseAt }: ConnectionInputs): ConnectionView {
  const isOffline = faults.includes(0);
  const isPolling = faults.length === 0 && lastResponseAt !== null;
  const isStarting = faults.length === 0 && lastResponseAt === null;
  const state = isOffline ? 'offline' : isStarting ? 'connecting' : 'waiting';
  const text = isPolling ? 'Polling' : TEXTS[state];
  return { state, text, since: faults.length > 0 ? lastResponseAt : null, isOffline, isPolling };
}
