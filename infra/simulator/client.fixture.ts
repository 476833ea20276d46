import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const DEADLINE_MS = 10_000;

/** Waits until a condition holds; fails with its name when it never does. */
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

/** A client's end of a socket, with every text it has received. */
export interface TestSocket {
  readonly texts: string[];
  send(value: unknown): void;
  /** Received texts that are JSON, read. */
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

/** A POST of JSON; answers status and the body, read where it is JSON. */
export async function post(url: string, body: unknown): Promise<{ status: number; body: unknown; text: string }> {
  return read(
    await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  );
}

/** A GET; as `post`. */
export async function get(url: string): Promise<{ status: number; body: unknown; text: string }> {
  return read(await fetch(url));
}

async function read(response: Response): Promise<{ status: number; body: unknown; text: string }> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Broken bodies are what some tests ask for.
  }
  return { status: response.status, body, text };
}

/** A clock that begins in the middle of an hour, so that no question expires while a test looks at it. */
export function clockAwayFromHours(): () => number {
  const shift = Date.UTC(2026, 2, 3, 15, 20) - Date.now();
  return () => Date.now() + shift;
}
