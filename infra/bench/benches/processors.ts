/**
 * How fast is a rebuild: how many raw records a second go through all processors, from the log to the log? There is no
 * bare baseline for this.
 *
 * What would skew it: counting the records between stages as well, which grows with the number of stages; a second run
 * on top of the first one's outputs, which are then recognised and not written (they are cleared in between).
 */
import { createStages, projectionsOf } from '#processors/stages';
import type { RoleContext } from '../../context.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { rateOf, rateResult, timedAsync } from '../measure.ts';
import { openWorld, processAll } from '../open-world.ts';
import { readRawRecords } from '../raw-records.ts';
import { median } from '../statistics.ts';

const RATE = 1_000;
const SECONDS = 10;
const ROUNDS = 3;
const BUDGET_MS = 15_000;

export const processors: Bench = {
  aims: { processors: null },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const world = await openWorld({ folder, rate: RATE, seconds: SECONDS });
    try {
      const { length } = await readRawRecords(world.context.log);
      const rates: number[] = [];
      const deadline = performance.now() + BUDGET_MS;
      for (let round = 0; round < ROUNDS && (round === 0 || performance.now() < deadline); round += 1) {
        await clearDerived(world.context);
        const measured = await timedAsync(async () => {
          await processAll(world.context);
          return length;
        });
        rates.push(rateOf(measured));
        onProgress((round + 1) / ROUNDS);
      }
      return [rateResult('processors', 'events/s', { subject: median(rates), baseline: null })];
    } finally {
      await world.close();
    }
  },
};

async function clearDerived({ log, settings }: RoleContext): Promise<void> {
  const topics = projectionsOf(createStages(settings));
  await log.createTopics(topics);
  for (const { name } of topics) await log.clearTopic(name);
}
