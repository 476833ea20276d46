/** Baseline of the webhook benchmark: signs and posts the same deliveries over keep-alive connections. */
import { Agent, request } from 'node:http';
import { signedHeaders } from '#stream-gateway/webhooks/sign';
import { BARE_PATH } from '../webhooks/endpoints.ts';
import { SECRET } from '../webhooks/fill-log.ts';
import { deliveryOf, goodWebhook } from '../webhooks/mix.ts';

export interface PosterCall {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** Number of different events, which are posted in turn. */
  readonly events: number;
}

export interface PosterDone {
  readonly posted: number;
  readonly ms: number;
  /** The first status other than 200, or a broken connection; null if there was none. */
  readonly fault: string | null;
}

async function run({ port, connections, durationMs, events }: PosterCall): Promise<PosterDone> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  const until = startedAt + durationMs;
  let [started, posted] = [0, 0];
  const post = async () => {
    while (performance.now() < until) {
      const number = started % events;
      started += 1;
      await postOnce(agent, port, number);
      posted += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, post));
    return { posted, ms: performance.now() - startedAt, fault: null };
  } catch (error) {
    return { posted, ms: performance.now() - startedAt, fault: String(error) };
  } finally {
    agent.destroy();
  }
}

function postOnce(agent: Agent, port: number, number: number): Promise<void> {
  const { eventId, body } = deliveryOf(goodWebhook(1), number, 0);
  const headers = signedHeaders({ eventId, at: Date.now(), body, secrets: [SECRET] });
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: BARE_PATH, method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the endpoint answered ${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    });
    call.on('error', reject);
    call.end(body);
  });
}

process.on('message', (call: PosterCall) => void run(call).then((done) => process.send!(done)));
process.once('disconnect', () => process.exit(0));
