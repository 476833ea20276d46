/** The fills under registered builders, from the daily files of venue_a's stats host. */
import { decimal, flag, type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { COMPACTED_FOR_PROCESSORS, defineTopic } from './topic.ts';

const builder = text('The builder, an address in lower case.');
const day = timestamp('The day of the file: its start.');
const fileAt = timestamp('Which file of the day: when it was received.');

const builderFill = record('BuilderFill', "A row of a builder's file.", {
  builder,
  day,
  fileAt,
  place: integer('Its place in the file, from 0.'),
  user: text('Address of the user, lower case.'),
  coin: text('The coin, as on the wire.'),
  time: timestamp('When it was filled, in whole seconds.'),
  side: oneOf(['buy', 'sell'], "The user's side."),
  price: decimal('Price, in the quote token.'),
  qty: decimal('Quantity in the base token.'),
  builderFee: decimal('What the builder received, in the token of the fee.'),
});
export type BuilderFill = Infer<typeof builderFill>;

/** The rows mean nothing until a record of `builderDayTopic` names their file. They can be derived again. */
export const builderFillTopic = defineTopic({
  name: 'derived.builder-fills.venue_a',
  description: 'Rows of the daily files of registered builders of venue_a.',
  key: 'builder',
  partitions: 1,
  retention: { kind: 'hours', hours: 48 },
  schema: builderFill,
});

const builderDay = record('BuilderDay', 'What has arrived of a day of a registered builder.', {
  builder,
  day,
  fileAt,
  hasFile: flag('False if the venue stated that there is no file 48 hours after the day or later: no fills.'),
  rows: integer('Rows of the file.'),
  etag: nullable(text('The tag under which the venue sent the file; null without one.')),
  sha256: nullable(text('SHA-256 of the file as it was sent, hexadecimal; null without a file.')),
});
export type BuilderDay = Infer<typeof builderDay>;

/** Key of a day of a builder. */
export const builderDayKey = (builder: string, day: number) => `${builder}/${day}`;

/** Published after the last row of a file. A file that arrives later replaces the record, and so the rows. */
export const builderDayTopic = defineTopic({
  name: 'derived.builder-days.venue_a',
  description: 'Which daily files of registered builders of venue_a have arrived.',
  key: '<builder>/<day>',
  partitions: 1,
  retention: COMPACTED_FOR_PROCESSORS,
  schema: builderDay,
});

const registeredBuilder = record('RegisteredBuilder', 'A builder that at least one organization has registered.', {
  builder,
  since: timestamp('The first day whose file is requested: 30 days before it was registered.'),
});
export type RegisteredBuilder = Infer<typeof registeredBuilder>;

/** A record exists while any organization has the builder registered. */
export const registeredBuilderTopic = defineTopic({
  name: 'derived.registered-builders.venue_a',
  description: 'The registered builders of venue_a, whose files ingest requests.',
  key: 'builder',
  partitions: 1,
  retention: COMPACTED_FOR_PROCESSORS,
  schema: registeredBuilder,
});
