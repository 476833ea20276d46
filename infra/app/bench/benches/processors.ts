/**
 * Speed of a rebuild: raw records per second through all processors, from log to log. There is no baseline.
 *
 * Sources of error: counting records between stages, whose number grows with the number of stages; a second run over
 * existing outputs, which are recognised and not written again (they are cleared in between).
 */
import { createStages, projectionsOf } from '#processors/stages';
import type { RoleContext } from '../../../runtime/context.ts';
import { openSimulatedService, processAll } from '../../simulated-service.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { rateOf, rateResult, timedAsync } from '../measure.ts';
import { readRawRecords } from '../raw-records.ts';
import { median } from '../statistics.ts';

const RATE = 1_000;
const SECONDS = 10;
const ROUNDS = 3;
const BUDGET_MS = 15_000;

export const processors: Bench = {
  aims: { processors: null },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const service = await openSimulatedService({ folder, rate: RATE, seconds: SECONDS });
    try {
      const { length } = await readRawRecords(service.context.log);
      const rates: number[] = [];
      const deadline = performance.now() + BUDGET_MS;
      for (let round = 0; round < ROUNDS && (round === 0 || performance.now() < deadline); round += 1) {
        await clearDerived(service.context);
        const measured = await timedAsync(async () => {
          await processAll(service.context);
          return length;
        });
        rates.push(rateOf(measured));
        onProgress((round + 1) / ROUNDS);
      }
      return [rateResult('processors', 'events/s', { subject: median(rates), baseline: null })];
    } finally {
      await service.close();
    }
  },
};

async function clearDerived({ log, settings }: RoleContext): Promise<void> {
  const topics = projectionsOf(createStages(settings));
  await log.createTopics(topics);
  for (const { name } of topics) await log.clearTopic(name);
}
