/** An HTTP server on loopback that answers what a test says. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Never answers. */
  readonly hang?: boolean;
}

export interface TestHttpServer {
  readonly url: string;
  readonly asked: { method: string; path: string; body: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

export async function startHttpServer(
  answer: (asked: { method: string; path: string; body: string }) => Answer | Promise<Answer>,
): Promise<TestHttpServer> {
  const asked: TestHttpServer['asked'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const question = { method: request.method ?? '', path: request.url ?? '', body };
    asked.push({ ...question, headers: request.headers });
    const { status = 200, headers = {}, body: text = '', hang = false } = await answer(question);
    if (!hang) response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
