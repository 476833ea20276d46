import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RegistryService } from './registry.ts';

const VERSIONS = /^\/subjects\/([^/]+)\/versions$/;
const SCHEMA = /^\/schemas\/ids\/(\d+)$/;

/**
 * Starts a registry in this process that serves what Parallax uses of the Confluent API, and checks no compatibility:
 * for tests of which the registry is not the subject, since Apicurio takes eight seconds of CPU for a cluster.
 */
export async function startMemoryRegistry(): Promise<RegistryService> {
  const schemas: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await text(request);
    if (path === '/subjects') return send(response, 200, []);
    if (request.method === 'POST' && VERSIONS.test(path)) {
      const { schema } = JSON.parse(body) as { schema: string };
      if (!schemas.includes(schema)) schemas.push(schema);
      return send(response, 200, { id: schemas.indexOf(schema) + 1 });
    }
    const schema = schemas[Number(SCHEMA.exec(path)?.[1]) - 1];
    return schema === undefined ? send(response, 404, { error_code: 40403 }) : send(response, 200, { schema });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
