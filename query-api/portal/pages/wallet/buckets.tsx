/** Shows the parts that make up the value of an account of venue_a. */
import { wordsOf } from '../../format/names.ts';
import { useResource } from '../../live/resource.ts';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import type { Wallet } from '../pnl/shapes.ts';
import type { Batch } from './shapes.ts';

const REFRESH_MS = 30_000;

export function BucketsPanel({ wallet: { address } }: { readonly wallet: Wallet }) {
  const read = useResource<Batch>('/v1/accounts/batch', REFRESH_MS, false, { users: [address] });
  return (
    <Panel title="Parts of the value" resource={read}>
      {({ results }) => {
        const { valueUsd, buckets, unrealizedPnlUsd, accountMode, note } = results[0]!;
        const reason = note ?? 'the account could not be read';
        return (
          <dl class="facts one" aria-label="Parts of the value">
            {buckets.map(({ kind, usd }) => (
              <Fact key={kind} label={`${wordsOf(kind)}, USD`} field={kind}>
                <Num value={usd} digits={2} />
              </Fact>
            ))}
            <Fact label="Sum, USD" field="valueUsd">
              <Num value={valueUsd} digits={2} reason={reason} />
            </Fact>
            <Fact label="Unrealized profit in it, USD" field="unrealizedPnlUsd">
              <Num value={unrealizedPnlUsd} digits={2} signed reason={reason} />
            </Fact>
            <Fact label="Account mode" field="accountMode">
              {accountMode ?? <Unknown reason={reason} />}
            </Fact>
          </dl>
        );
      }}
    </Panel>
  );
}
