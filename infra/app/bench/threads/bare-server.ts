/** Baseline of the REST benchmark: Fastify with default options and one route that sends the bytes of a file. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { programArguments } from './program-arguments.ts';

const body = readFileSync(programArguments()[0]!);
const app = Fastify({ logger: false });
app.get('/bare', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body));
process.once('SIGTERM', () => void app.close());
console.log(`REST ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
