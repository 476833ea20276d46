/** A self-hosted node of venue_a that tests start, in place of the one of an operator. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Reads that it answers. All others are those of the venue. */
const READS = ['exchangeStatus', 'spotMeta', 'clearinghouseState', 'spotClearinghouseState'];

export interface VenueNode {
  readonly url: string;
  /** Number of requests by type and user. */
  readonly counts: ReadonlyMap<string, number>;
  /** Holds answers back, except those about its own state, until `open` is called. */
  hold(): void;
  open(): void;
  close(): Promise<void>;
}

export async function startVenueNode(): Promise<VenueNode> {
  const counts = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { type, user = '' } = JSON.parse(text) as { type: string; user?: string };
    if (!READS.includes(type)) return void response.writeHead(500).end();
    const key = `${type} ${user}`.trim();
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (!isOpen && type !== 'exchangeStatus') await new Promise<void>((resolve) => waiting.push(resolve));
    response.end(JSON.stringify({ of: key, time: Date.now() }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    hold: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const answer of waiting.splice(0)) answer();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
