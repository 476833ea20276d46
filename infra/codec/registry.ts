/** Assigns ids to schemas: the embedded registry topic, or a server with the Confluent API. */
export interface SchemaRegistry {
  /**
   * Returns the id of a schema text under a subject (topic name with `-value`); the same text always has the same id.
   */
  register(subject: string, schema: string): Promise<number>;
  /** Returns the schema text of an id. Rejects with `CodecError('unknown_schema')` if it was never registered. */
  fetch(id: number): Promise<string>;
}
