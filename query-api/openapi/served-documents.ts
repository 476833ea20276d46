/** The documents that describe the API to programs, as JSON and as YAML. */
import { stringify } from 'yaml';
import { VERSION } from '#infra/config/version';
import type { JsonObject } from '#schemas/json-schema';
import { asyncApiDocument } from '#schemas/stream/asyncapi';
import { EncodedBody } from '../http/encodings.ts';
import type { Route } from '../routes/route.ts';
import { openApiDocument } from './document.ts';
import { readExamples } from './examples.ts';

const YAML_TYPE = 'application/yaml; charset=utf-8';

/** Returns the body of each document by its path. A document is generated when it is first requested. */
export function servedDocuments(routes: readonly Route[]): ReadonlyMap<string, () => EncodedBody> {
  const openApi = once(() => openApiDocument(routes, readExamples()));
  const asyncApi = once(() => asyncApiDocument(VERSION));
  return new Map([
    ['/openapi.json', once(() => asJson(openApi()))],
    ['/openapi.yaml', once(() => asYaml(openApi()))],
    ['/asyncapi.json', once(() => asJson(asyncApi()))],
    ['/asyncapi.yaml', once(() => asYaml(asyncApi()))],
  ]);
}

function asJson(document: JsonObject): EncodedBody {
  return new EncodedBody(Buffer.from(JSON.stringify(document)));
}

function asYaml(document: JsonObject): EncodedBody {
  return new EncodedBody(Buffer.from(stringify(document, { aliasDuplicateObjects: false })), YAML_TYPE);
}

/** Makes something when it is first requested. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
