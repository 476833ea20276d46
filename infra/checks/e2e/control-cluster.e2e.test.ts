/** Keys, wallets, quotas, webhooks and suspensions: the same on one embedded node and on a cluster over real Kafka. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../testing/services.ts';
import { type ControlNodes, startControlCluster, startControlNode } from './control-nodes.ts';
import { controlSuite } from './control-suite.ts';

const MISSING = servicesMissing();
/** Of each test; processes that are started anew share few cores with all others. */
const TIMEOUT_MS = 120_000;

function on(start: () => Promise<ControlNodes>): void {
  let nodes: ControlNodes | undefined;
  const measured: Record<string, number> = {};
  beforeAll(async () => {
    nodes = await start();
  }, 240_000);
  afterAll(async () => {
    await nodes?.close();
    console.info(measured);
  }, 120_000);

  controlSuite({
    get nodes() {
      return nodes!;
    },
    told: (what, value) => {
      measured[what] = Math.round(value);
    },
  });

  it('stops cleanly', async () => {
    expect(await nodes!.stop()).toEqual([]);
  });
}

describe('the control side on one embedded node', { timeout: TIMEOUT_MS }, () => on(startControlNode));

describe.skipIf(MISSING)(`the control side on three nodes over Kafka ${MISSING ?? ''}`, { timeout: TIMEOUT_MS }, () =>
  on(startControlCluster),
);
