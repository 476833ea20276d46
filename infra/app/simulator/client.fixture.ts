import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const DEADLINE_MS = 10_000;

/** Waits until a condition holds. Throws with its name after a timeout. */
export async function until<T>(
  what: string,
  check: () => T | undefined | false | null | Promise<T | undefined | false | null>,
): Promise<T> {
  const ends = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > ends) throw new Error(`never: ${what}`);
    await sleep(5);
  }
}

/** Client side of a socket, with every received text. */
export interface TestSocket {
  readonly texts: string[];
  send(value: unknown): void;
  /** Parsed frames of the received JSON texts. */
  frames(): Record<string, unknown>[];
  isClosed(): boolean;
  pongs(): number;
  ping(): void;
  close(): void;
}

/** Opens a socket and waits until it is open. */
export async function openSocket(url: string): Promise<TestSocket> {
  const ws = new WebSocket(url);
  const texts: string[] = [];
  let pongs = 0;
  let isClosed = false;
  ws.on('message', (data) => void texts.push(String(data)));
  ws.on('pong', () => {
    pongs += 1;
  });
  for (const event of ['close', 'error']) {
    ws.on(event, () => {
      isClosed = true;
    });
  }
  await until(`${url} answers`, () => isClosed || ws.readyState === ws.OPEN);
  if (isClosed) throw new Error(`${url} refuses`);
  const read = (text: string): Record<string, unknown>[] => {
    try {
      return [JSON.parse(text)].flat() as Record<string, unknown>[];
    } catch {
      return [];
    }
  };
  return {
    texts,
    send: (value) => ws.send(typeof value === 'string' ? value : JSON.stringify(value)),
    frames: () => texts.flatMap(read),
    isClosed: () => isClosed,
    pongs: () => pongs,
    ping: () => ws.ping(),
    close: () => ws.terminate(),
  };
}

/** Sends a POST with JSON. Returns status and body, parsed if it is JSON. */
export async function post(url: string, body: unknown): Promise<{ status: number; body: unknown; text: string }> {
  return read(
    await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  );
}

/** Sends a GET. Returns the same as `post`. */
export async function get(url: string): Promise<{ status: number; body: unknown; text: string }> {
  return read(await fetch(url));
}

async function read(response: Response): Promise<{ status: number; body: unknown; text: string }> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Some tests request malformed bodies.
  }
  return { status: response.status, body, text };
}

/** Returns a clock that starts at 15:20, so that no question expires during a test. */
export function clockAwayFromHours(): () => number {
  const shift = Date.UTC(2026, 2, 3, 15, 20) - Date.now();
  return () => Date.now() + shift;
}
