import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '#schemas/testing/recorded-settings.fixture';
import { TOPICS } from '#schemas/topics/catalog';
import { createStages } from './stages.ts';

const stages = createStages(DEFAULT_SETTINGS);
const isDerived = (topic: string) => topic.startsWith('derived.');

// Whoever reads a topic waits for its watermark, so a topic that no stage writes would stop its readers forever.
describe('the derived topics', () => {
  it('are each the output of exactly one stage', () => {
    const outputs = stages.flatMap((stage) => stage.outputs.map(({ name }) => name));
    expect(outputs.sort()).toEqual(
      TOPICS.map(({ name }) => name)
        .filter(isDerived)
        .sort(),
    );
  });

  it('are written by a stage above those that read them', () => {
    const written = new Set<string>();
    for (const { name, inputs, outputs } of stages) {
      const early = inputs.map(({ topic }) => topic.name).filter((topic) => isDerived(topic) && !written.has(topic));
      expect(early, name).toEqual([]);
      for (const topic of outputs) written.add(topic.name);
    }
  });
});
