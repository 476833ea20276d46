/** Where schemas get their ids: the embedded registry topic, or a server that speaks the Confluent API. */
export interface SchemaRegistry {
  /** Id of this schema text under the subject (topic name with `-value`); the same text has the same id for good. */
  register(subject: string, schema: string): Promise<number>;
  /** The schema text of an id. Throws `CodecError('unknown_schema')` when nobody registered it. */
  fetch(id: number): Promise<string>;
}
