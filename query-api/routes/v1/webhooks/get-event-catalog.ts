import { z } from 'zod';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { defineOwnRoute } from '../../route.ts';

/** The same for as long as the process runs. */
const CATALOG = {
  eventTypes: EVENT_TYPES.map(({ type, version, description, filters, data, delivering }) => ({
    type,
    version,
    description,
    filters: z.toJSONSchema(filters, { io: 'input' }),
    schema: z.toJSONSchema(data),
    delivering,
  })),
};
const jsonSchema = z.looseObject({}).describe('JSON Schema 2020-12.');

/** An own route though it is the same for everyone: shared ones tell sandbox keys of the data set, which has no part in this. */
export const getEventCatalog = defineOwnRoute({
  method: 'GET',
  path: '/v1/webhooks/event-catalog',
  scope: 'read',
  sku: null,
  summary: 'What webhooks can subscribe to: the filters that each type takes, and the shape of its `data`.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    eventTypes: z.array(
      z.object({
        type: z.string(),
        version: z.int(),
        description: z.string(),
        filters: jsonSchema,
        schema: jsonSchema,
        delivering: z.boolean().describe('False while the type has no producer yet.'),
      }),
    ),
  }),
  handle: () => CATALOG,
});
