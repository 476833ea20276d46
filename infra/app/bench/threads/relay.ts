/** Baseline of the latency benchmark: relays every frame of a venue to every client unchanged. */
import { WebSocket, WebSocketServer } from 'ws';
import { programArguments } from './program-arguments.ts';

const [upstream] = programArguments();
if (!upstream) throw new Error('usage: relay <WebSocket URL of the venue>');
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
await new Promise((resolve) => server.once('listening', resolve));
const venue = new WebSocket(upstream, { perMessageDeflate: false });
venue.on('message', (data) => {
  for (const client of server.clients) client.send(data, { binary: false });
});
// The benchmark's process has closed the connection or exited.
venue.on('close', () => process.exit(0));
venue.on('error', () => process.exit(1));
await new Promise((resolve) => venue.once('open', resolve));
const { port } = server.address() as { port: number };
process.stdout.write(`WebSocket ws://127.0.0.1:${port}\n`);
