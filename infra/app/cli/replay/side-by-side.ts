import type { Stage } from '../../../stages/stage.ts';

type Ordered = Pick<Stage<unknown>, 'inputs' | 'outputs'>;

/**
 * Runs every stage once, as soon as the stages before it that write its inputs are done, and at most `limit` at a time.
 * If one fails, aborts the signal of the others, waits for them, and rejects with that failure.
 *
 * @param stages in the order of the data.
 */
export async function runSideBySide<S extends Ordered>(
  stages: readonly S[],
  limit: number,
  run: (stage: S, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const waiting = new Set(stages);
  const running = new Map<S, Promise<void>>();
  const unfinished = (stage: S) => waiting.has(stage) || running.has(stage);
  const isReady = (stage: S) => {
    const before = stages.slice(0, stages.indexOf(stage)).filter(unfinished);
    const written = new Set(before.flatMap(({ outputs }) => outputs.map(({ name }) => name)));
    return stage.inputs.every(({ topic }) => !written.has(topic.name));
  };
  try {
    while (waiting.size + running.size > 0) {
      for (const stage of [...waiting]) {
        if (running.size >= limit || !isReady(stage)) continue;
        waiting.delete(stage);
        running.set(
          stage,
          run(stage, stopping.signal).then(() => void running.delete(stage)),
        );
      }
      await Promise.race(running.values());
    }
  } catch (error) {
    stopping.abort(error);
    await Promise.allSettled(running.values());
    throw error;
  }
}
