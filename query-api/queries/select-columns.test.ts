import { expect, it } from 'vitest';
import { deliveryAttemptsTable } from '#schemas/tables/delivery-attempts';
import { disputePhasesTable } from '#schemas/tables/dispute-phases';
import { eventsTable } from '#schemas/tables/events';
import { tradesTable } from '#schemas/tables/trades';
import { selectColumns } from './select-columns.ts';

it('converts times and whole numbers, and leaves the other columns as they are', () => {
  expect(selectColumns(tradesTable, 't', ['id', 'ts', 'price', 'arrival', 'blockNumber', 'maker'])).toBe(
    'id, toFloat64(toUnixTimestamp64Milli(t.ts)) AS ts, price, toFloat64(t.arrival) AS arrival, ' +
      'toFloat64(t.blockNumber) AS blockNumber, maker',
  );
});

it('selects every field of the records in their order if no names are given', () => {
  const { column } = disputePhasesTable.fromTopics[0]!.schema;
  const selected = selectColumns(disputePhasesTable, 'd')
    .split(', ')
    .map((text) => text.replace(/^.* AS /, ''));
  expect(column.kind === 'record' && Object.keys(column.fields)).toEqual(selected);
});

it('refuses a field that is no column of its own', () => {
  expect(() => selectColumns(deliveryAttemptsTable, 'a')).toThrow(
    'the table delivery_attempts has no column receivedAt',
  );
  expect(() => selectColumns(eventsTable, 'e', ['links'])).toThrow('the table events has no column links');
});
