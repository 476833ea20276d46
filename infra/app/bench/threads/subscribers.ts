/**
 * Runs subscribers of a service's stream in a thread. Each counts missed events on its channels and samples the age of
 * its newest trade every 50 ms. The age grows while nothing arrives, so a stalled stream is visible.
 */
import { parentPort } from 'node:worker_threads';
import { StreamCheck } from '../service/stream-check.ts';
import { openPlainSocket, type PlainSocketTarget } from './plain-socket.ts';

const SAMPLE_MS = 50;

export type SubscribersCall =
  | {
      readonly kind: 'open';
      readonly target: PlainSocketTarget;
      /** Channels of each subscriber. */
      readonly channels: readonly (readonly string[])[];
      /** Channel whose trades are timed. */
      readonly timedChannel: string;
    }
  /** Resets the counts and starts counting. */
  | { readonly kind: 'begin' }
  /** Stops counting and returns the counts. */
  | { readonly kind: 'end' };

export interface SubscribersReply {
  /** The reason why a subscriber could not be opened; null if all are open. */
  readonly fault: string | null;
  readonly ages: readonly number[];
  readonly missing: number;
  readonly events: number;
  /** Number of sockets that the service has closed. */
  readonly closed: number;
}

const checks: StreamCheck[] = [];
const closed = new Set<StreamCheck>();
let ages: number[] = [];
let isCounting = false;

setInterval(() => {
  if (!isCounting) return;
  const now = Date.now();
  for (const { newestTradeMs } of checks) if (newestTradeMs !== null) ages.push(now - newestTradeMs);
}, SAMPLE_MS);

function open({ target, channels, timedChannel }: Extract<SubscribersCall, { kind: 'open' }>): Promise<unknown> {
  const opening = channels.map(
    (names) =>
      new Promise<void>((resolve, reject) => {
        const check = new StreamCheck(names.includes(timedChannel) ? timedChannel : null);
        checks.push(check);
        const socket = openPlainSocket(target, {
          onOpen: () => {
            for (const channel of names) socket.send(JSON.stringify({ type: 'subscribe', channel }));
          },
          onFrame: (payload) => {
            check.frame(payload);
            if (check.subscriptions === names.length) resolve();
          },
          onFault: (fault) => {
            closed.add(check);
            reject(new Error(fault));
          },
        });
      }),
  );
  return Promise.all(opening);
}

function reply(fault: string | null): void {
  const sum = (of: (check: StreamCheck) => number) => checks.reduce((all, check) => all + of(check), 0);
  const counted = { missing: sum(({ missing }) => missing), events: sum(({ events }) => events) };
  parentPort!.postMessage({ fault, ages, ...counted, closed: closed.size } satisfies SubscribersReply);
}

parentPort!.on('message', (call: SubscribersCall) => {
  if (call.kind === 'open') {
    open(call).then(
      () => reply(null),
      (error: Error) => reply(error.message),
    );
    return;
  }
  if (call.kind === 'begin') {
    ages = [];
    for (const check of checks) check.reset();
  }
  isCounting = call.kind === 'begin';
  reply(null);
});
