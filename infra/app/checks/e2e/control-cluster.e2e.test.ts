/**
 * Tests keys, wallets, quotas, webhooks and suspensions on one embedded node, and on a cluster over real Kafka, of
 * which a part uses TLS and a user. On the cluster also reads of a venue, takeovers, and processes that the broker refuses.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../../testing/services.ts';
import { type ControlNodes, startControlCluster, startControlNode } from './control-nodes.ts';
import { type ControlRun, controlSuite } from './control-suite.ts';
import { readsSuite } from './reads-suite.ts';
import { refusalSuite, spreadTest } from './secured-suite.ts';
import { takeoverSuite } from './takeover-suite.ts';

const MISSING = servicesMissing();
/** For each test. Restarted processes share few cores with all others. */
const TIMEOUT_MS = 120_000;

type Run<Nodes extends ControlNodes> = ControlRun & { readonly nodes: Nodes };

/**
 * Runs the suite on nodes that `start` starts.
 *
 * @param before tests on the same nodes that come first.
 * @param after tests that come last, before the nodes are stopped.
 */
function on<Nodes extends ControlNodes>(
  start: () => Promise<Nodes>,
  before: (run: Run<Nodes>) => void = () => {},
  after: (run: Run<Nodes>) => void = () => {},
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
  before(run);
  controlSuite(run);
  after(run);

  it('stops cleanly', async () => {
    expect(await nodes!.stop()).toEqual([]);
  });
}

describe('the control side on one embedded node', { timeout: TIMEOUT_MS }, () => on(startControlNode));

describe.skipIf(MISSING)(
  `three nodes over Kafka, also with TLS and a user ${MISSING ?? ''}`,
  { timeout: TIMEOUT_MS },
  () =>
    on(
      startControlCluster,
      (run) => {
        spreadTest(run);
        readsSuite(run);
      },
      (run) => {
        takeoverSuite(run);
        refusalSuite(run);
      },
    ),
);
