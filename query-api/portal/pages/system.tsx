import { useSignal, useSignalEffect } from '@preact/signals';
import { addLags, type LagHistory, lagChartOf } from '../format/lags.ts';
import { useResource } from '../live/resource.ts';
import { Bytes } from '../parts/bytes.tsx';
import { Chart } from '../parts/chart.tsx';
import { Fact } from '../parts/fact.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { DeadLetters, Feeds, Nodes, Stages } from './system/processes.tsx';
import type { SystemState } from './system/shapes.ts';
import { LogTopics, Tables } from './system/storage.tsx';

const REFRESH_MS = 3_000;

export default function SystemPage() {
  const resource = useResource<SystemState>('/v1/system', REFRESH_MS);
  const history = useSignal<LagHistory>([]);
  useSignalEffect(() => {
    const [system, at] = [resource.data.value, resource.at.value];
    if (system !== null && at !== null) history.value = addLags(history.peek(), at, system.stages);
  });
  const system = resource.data.value;
  return (
    <Page name="system" title="System" {...framed(resource)}>
      {system && (
        <>
          <Totals system={system} />
          <div class="panel">
            <Chart
              name="lag"
              caption="How far stages are behind (ms), since this page was opened"
              kind="line"
              digits={0}
              data={lagChartOf(history.value)}
            />
          </div>
          <Nodes system={system} />
          <Stages system={system} />
          <Feeds system={system} />
          <div class="panels">
            <LogTopics system={system} />
            <Tables system={system} />
          </div>
          <DeadLetters system={system} />
        </>
      )}
    </Page>
  );
}

/** The figures that an operator looks at first. */
function Totals({ system: { nodes, stages, feeds, log, store, deadLetters } }: { readonly system: SystemState }) {
  const worst = stages.reduce((most, { lagMs }) => Math.max(most, lagMs), 0);
  const connected = feeds.filter(({ state }) => state === 'connected').length;
  return (
    <section class="panel" aria-label="Totals">
      <dl class="facts">
        <Fact label="Nodes" field="nodes">
          <Num value={nodes.length} />
        </Fact>
        <Fact label="Largest lag of a stage" field="lagMs">
          <Num value={worst} unit=" ms" />
        </Fact>
        <Fact label="Lag of the store" field="storeLagMs">
          <Num value={store.lagMs} unit=" ms" reason="no running process writes to the store" />
        </Fact>
        <Fact label="Connections that are up" field="connected">
          {connected} of {feeds.length}
        </Fact>
        <Fact label="Log" field="logBytes">
          <Bytes value={log.bytes} reason="the brokers do not return it" />
        </Fact>
        <Fact label="Left on its disk" field="diskFreeBytes">
          <Bytes value={log.diskFreeBytes} reason="the log is on other machines" />
        </Fact>
        <Fact label="Store" field="storeBytes">
          <Bytes value={store.bytes} />
        </Fact>
        <Fact label="Dead letters" field="deadLetters">
          <Num value={deadLetters.reduce((sum, { count }) => sum + count, 0)} />
        </Fact>
      </dl>
    </section>
  );
}
