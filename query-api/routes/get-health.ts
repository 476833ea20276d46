import { z } from 'zod';
import { healthResponse } from '#infra/telemetry/ops-server';
import { isoTimeSchema } from '#schemas/http/scalars';
import { CustomResponse, defineRoute } from './route.ts';

export const getHealth = defineRoute({
  method: 'GET',
  path: '/health',
  scope: null,
  sku: null,
  cacheTtlMs: 0,
  summary: 'Health of the process: 200 if all roles are ready and no stage lags, otherwise 503.',
  params: z.object({}),
  query: z.object({}),
  response: z.looseObject({
    status: z.enum(['ok', 'starting', 'degraded']).describe('`ok` if every part is ready and no stage lags.'),
    service: z.string().describe('The name of the service.'),
    version: z.string().describe('Its version.'),
    uptimeSeconds: z.number().describe('Seconds since the process started.'),
    timestamp: isoTimeSchema.describe('Wall time of the answer; the lags in `backlog` are as of it.'),
    parts: z.record(z.string(), z.string()).describe('The parts of this process with their states.'),
    backlog: z
      .array(
        z.object({
          stage: z.string().describe('The name of the stage.'),
          lagSeconds: z.number().describe("The pipeline's time minus the position of the stage, in seconds."),
          records: z
            .number()
            .int()
            .nullable()
            .describe('Records that the stage has not processed yet; null if the log does not know.'),
          recordsPerSecond: z
            .number()
            .int()
            .nullable()
            .describe('Records that the stage processes per second; null at first.'),
          secondsLeft: z
            .number()
            .int()
            .nullable()
            .describe('Estimated seconds until the stage has caught up; null unless its lag shrinks steadily.'),
        }),
      )
      .optional()
      .describe('Stages that lag by more than 5 s.'),
  }),
  handle(_input, { health }) {
    const { statusCode, body } = healthResponse(health);
    return new CustomResponse(statusCode, body);
  },
});
