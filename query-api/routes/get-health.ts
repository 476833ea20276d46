import { z } from 'zod';
import { healthAnswer } from '#infra/telemetry/ops-server';
import { isoTimeSchema } from '#schemas/http/scalars';
import { Answer, defineRoute } from './route.ts';

export const getHealth = defineRoute({
  method: 'GET',
  path: '/health',
  scope: null,
  sku: null,
  cacheTtlMs: 0,
  summary: 'Whether every role of this process is ready and no stage is behind: 200 then, 503 otherwise.',
  params: z.object({}),
  query: z.object({}),
  response: z.looseObject({
    status: z.enum(['ok', 'starting', 'degraded']),
    service: z.string(),
    version: z.string(),
    uptimeSeconds: z.number(),
    timestamp: isoTimeSchema,
    parts: z.record(z.string(), z.string()).describe('Every part of this process and its state.'),
    backlog: z
      .array(
        z.object({
          stage: z.string(),
          lagSeconds: z
            .number()
            .describe("The pipeline's time minus the time up to which it has processed everything."),
          records: z.number().int().nullable().describe('Records that it has not processed yet.'),
          recordsPerSecond: z.number().int().nullable().describe('Records that it processes a second.'),
          secondsLeft: z.number().int().nullable().describe('Until it has caught up; null while the backlog grows.'),
        }),
      )
      .optional()
      .describe('Stages that are more than 5 s behind.'),
  }),
  handle(_input, { health }) {
    const { statusCode, body } = healthAnswer(health);
    return new Answer(statusCode, body);
  },
});
