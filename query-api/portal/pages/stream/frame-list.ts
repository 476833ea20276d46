/** What the console shows of a subscription: a bounded list of messages, newest first, and their counts. */
import type { StreamMessage } from '#stream-gateway/client/stream-client';

/** Messages that the list holds. */
export const LIST_MAX = 200;
const PREVIEW_MAX = 200;

export interface Row {
  /** Counts the messages of the subscription, from 1. */
  readonly id: number;
  /** Unix ms at which it was received here. */
  readonly at: number;
  readonly message: StreamMessage;
  /** Time from the receipt of the cause until here, ms; null for what has no cause. */
  readonly delayMs: number | null;
}

export interface FrameList {
  readonly rows: readonly Row[];
  readonly received: number;
  readonly events: number;
  readonly seq: number | null;
  readonly epoch: string | null;
  readonly delayMs: number | null;
  readonly gaps: number;
  /** Events that the server dropped at first and sent later. */
  readonly dropped: number;
  /** State of the markets behind the channel; null if it reports none. */
  readonly status: string | null;
  /** Why the server refused the channel; null if it did not. */
  readonly refusal: string | null;
}

export const EMPTY_LIST: FrameList = {
  rows: [],
  received: 0,
  events: 0,
  seq: null,
  epoch: null,
  delayMs: null,
  gaps: 0,
  dropped: 0,
  status: null,
  refusal: null,
};

/** The list with messages in the order of their receipt. */
export function appended(list: FrameList, messages: readonly StreamMessage[], at: number): FrameList {
  const added = messages.map((message, index) => ({
    id: list.received + index + 1,
    at,
    message,
    delayMs: message.type === 'event' ? at - message.data.receivedAt : null,
  }));
  const next = messages.reduce(counted, { ...list, received: list.received + messages.length });
  return {
    ...next,
    delayMs: added.findLast(({ delayMs }) => delayMs !== null)?.delayMs ?? list.delayMs,
    rows: [...added.slice(-LIST_MAX).reverse(), ...list.rows].slice(0, LIST_MAX),
  };
}

function counted(list: FrameList, message: StreamMessage): FrameList {
  switch (message.type) {
    case 'event':
      return { ...list, events: list.events + 1, seq: message.seq, epoch: message.epoch };
    case 'gap':
      return { ...list, gaps: list.gaps + 1 };
    case 'lagged':
      return { ...list, dropped: list.dropped + message.dropped };
    case 'status':
      return { ...list, status: message.state };
    case 'error':
      return message.isFinal ? { ...list, refusal: message.error } : list;
    default:
      return list;
  }
}

/** What a message says in one line; the payload of an event, everything else as it is. */
export function previewOf(message: StreamMessage): string {
  const { type: _, ...rest } = message;
  const text = JSON.stringify(message.type === 'event' ? message.data.payload : rest);
  return text.length > PREVIEW_MAX ? `${text.slice(0, PREVIEW_MAX)}…` : text;
}
