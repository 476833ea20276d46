/** An HTTP server on loopback with answers defined by a test. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Never answers, or never ends its answer after the body. */
  readonly hang?: boolean;
  /** Closes the connection after the body, before the answer has ended. */
  readonly cutOff?: boolean;
}

export interface TestHttpServer {
  readonly url: string;
  readonly requests: { method: string; path: string; body: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

export async function startHttpServer(
  answer: (request: { method: string; path: string; body: string }) => Answer | Promise<Answer>,
): Promise<TestHttpServer> {
  const requests: TestHttpServer['requests'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const received = { method: request.method ?? '', path: request.url ?? '', body };
    requests.push({ ...received, headers: request.headers });
    const { status = 200, headers = {}, body: text, hang = false, cutOff = false } = await answer(received);
    if (!hang && !cutOff) response.writeHead(status, headers).end(text ?? '');
    else if (text !== undefined) response.writeHead(status, headers).write(text, () => cutOff && response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
