/** The least that can stand between a venue and a subscriber: passes every frame on to everyone, untouched. */
import { WebSocket, WebSocketServer } from 'ws';
import { programArguments } from './program-arguments.ts';

const [upstream] = programArguments();
if (!upstream) throw new Error('usage: relay <address of the venue>');
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
await new Promise((resolve) => server.once('listening', resolve));
const venue = new WebSocket(upstream, { perMessageDeflate: false });
venue.on('message', (data) => {
  for (const client of server.clients) client.send(data, { binary: false });
});
// The benchmark has ended, or died: nothing is left to relay.
venue.on('close', () => process.exit(0));
venue.on('error', () => process.exit(1));
await new Promise((resolve) => venue.once('open', resolve));
const { port } = server.address() as { port: number };
process.stdout.write(`WebSocket ws://127.0.0.1:${port}\n`);
