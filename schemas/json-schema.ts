/** JSON Schemas of run-time schemas, for the documents that describe the API. */
import { z } from 'zod';

export type JsonObject = { [name: string]: unknown };

/**
 * The JSON Schema of a schema. Those that have a name (`meta({ id })`) are added to `shared` and referred to as
 * `#/components/schemas/<name>`.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', shared: Record<string, unknown>): JsonObject {
  const generated = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  const named = JSON.parse(generated.replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject;
  const { $schema: _dialect, $defs, ...rest } = named;
  Object.assign(shared, $defs);
  return rest;
}
