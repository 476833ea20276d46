import { z } from 'zod';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { defineCallerRoute } from '../../route.ts';

/** Constant while the process runs. */
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

/** A caller route although the response is the same for all: shared routes mark their responses as sandbox data. */
export const getEventCatalog = defineCallerRoute({
  method: 'GET',
  path: '/v1/webhooks/event-catalog',
  scope: 'read',
  sku: null,
  summary: 'Event types that webhooks can subscribe to, with the filters and the `data` schema of each.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    eventTypes: z
      .array(
        z.object({
          type: z.string().describe('The id to subscribe to.'),
          version: z.int().describe('Its version.'),
          description: z.string().describe('When it is sent.'),
          filters: jsonSchema.describe('JSON Schema of the filters that it accepts.'),
          schema: jsonSchema.describe('JSON Schema of its `data`.'),
          delivering: z.boolean().describe('False while the type has no producer yet.'),
        }),
      )
      .describe('Every event type.'),
  }),
  handle: () => CATALOG,
});
