import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '#schemas/testing/recorded-settings.fixture';
import { COMPACTED_FOR_PROCESSORS } from '#schemas/topics/topic';
import { createStages } from './stages.ts';

// A processor that restarts reads the records after its snapshot again. If one of them was compacted away since, there
// are fewer outputs than the first time, and their numbers do not match.
it('every compacted topic that a processor reads retains superseded records for a time', () => {
  const inputs = createStages(DEFAULT_SETTINGS).flatMap((stage) => stage.inputs.map(({ topic }) => topic));
  const compacted = inputs.filter(({ retention }) => retention.kind === 'compacted');
  expect(new Set(compacted.map(({ name }) => name)).size).toBeGreaterThan(3);
  for (const { name, retention } of compacted) expect(retention, name).toEqual(COMPACTED_FOR_PROCESSORS);
});
