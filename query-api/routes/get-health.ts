import { z } from 'zod';
import { healthAnswer } from '#infra/telemetry/ops-server';
import { Answer, defineRoute } from '../route.ts';

export const getHealth = defineRoute({
  method: 'GET',
  path: '/health',
  scope: null,
  sku: null,
  cacheTtlMs: 0,
  summary: 'Whether every role of this process is ready: 200 when it is, 503 before.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    status: z.string(),
    service: z.string(),
    version: z.string(),
    uptimeSeconds: z.number(),
    timestamp: z.iso.datetime(),
  }),
  handle(_input, { health }) {
    const { statusCode, body } = healthAnswer(health);
    return new Answer(statusCode, body);
  },
});
