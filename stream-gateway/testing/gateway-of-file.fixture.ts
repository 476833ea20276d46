/** One gateway for all tests of the file that imports this, and clients that are closed with it. */
import { afterAll, beforeAll } from 'vitest';
import { type Client, openClient } from './client.fixture.ts';
import { type GatewayHarness, openGateway, type TokenOptions } from './gateway.fixture.ts';

export let gateway: GatewayHarness;
/** Clients that are closed after the last test. */
export const clients: Client[] = [];

beforeAll(async () => {
  gateway = await openGateway();
});

afterAll(async () => {
  for (const { socket } of clients) socket.terminate();
  await gateway.close();
});

/** Connects a client with a token of its own. */
export async function connected(options: TokenOptions = {}): Promise<Client> {
  const client = await openClient(gateway.url, gateway.token(options));
  clients.push(client);
  return client;
}

let channelCount = 0;
/** Returns a channel that no other test uses. */
export function freshChannel(): string {
  channelCount += 1;
  return `svc:stream:event:evt_fresh${channelCount}`;
}

/** Returns the numbers from one to another. */
export const consecutive = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
