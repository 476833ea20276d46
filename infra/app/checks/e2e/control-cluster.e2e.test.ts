/** Tests keys, wallets, quotas, webhooks and suspensions on one embedded node and on a cluster over real Kafka. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../../testing/services.ts';
import { type ControlNodes, startControlCluster, startControlNode } from './control-nodes.ts';
import { type ControlRun, controlSuite } from './control-suite.ts';
import { takeoverSuite } from './takeover-suite.ts';

const MISSING = servicesMissing();
/** For each test. Restarted processes share few cores with all others. */
const TIMEOUT_MS = 120_000;

/**
 * Runs the suite on nodes that `start` starts.
 *
 * @param more further tests on the same nodes.
 */
function on<Nodes extends ControlNodes>(
  start: () => Promise<Nodes>,
  more: (run: ControlRun & { readonly nodes: Nodes }) => void = () => {},
): void {
  let nodes: Nodes | undefined;
  const measured: Record<string, number> = {};
  beforeAll(async () => {
    nodes = await start();
  }, 240_000);
  afterAll(async () => {
    await nodes?.close();
    console.info(measured);
  }, 120_000);

  const run = {
    get nodes() {
      return nodes!;
    },
    report: (what: string, value: number) => {
      measured[what] = Math.round(value);
    },
  };
  controlSuite(run);
  more(run);

  it('stops cleanly', async () => {
    expect(await nodes!.stop()).toEqual([]);
  });
}

describe('the control side on one embedded node', { timeout: TIMEOUT_MS }, () => on(startControlNode));

describe.skipIf(MISSING)(`the control side on three nodes over Kafka ${MISSING ?? ''}`, { timeout: TIMEOUT_MS }, () =>
  on(startControlCluster, takeoverSuite),
);
