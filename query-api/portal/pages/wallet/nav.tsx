/** What the whole account of a wallet is worth now. */
import { useResource } from '../../live/resource.ts';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Wallet } from '../pnl/shapes.ts';
import type { Nav } from './shapes.ts';

/** The service returns values that are at most 20 s old. */
const REFRESH_MS = 30_000;
const NO_VALUE = 'the account has no value that is known';
const VENUE_B_ONLY = 'the venue states one value for the whole account';

export function NavPanel({ wallet }: { readonly wallet: Wallet }) {
  const nav = useResource<Nav>(`/v1/me/wallets/${encodeURIComponent(wallet.id)}/nav`, REFRESH_MS);
  return (
    <Panel title="Value" resource={nav}>
      {({ navUsdc, cashUsdc, positionsValueUsdc, asOf }) => (
        <dl class="facts tiles" aria-label="Value">
          <Fact label="Net asset value, USD" field="navUsdc">
            <Num value={navUsdc} digits={2} reason={NO_VALUE} />
          </Fact>
          <Fact label="Cash, USD" field="cashUsdc">
            <Num value={cashUsdc} digits={2} reason={VENUE_B_ONLY} />
          </Fact>
          <Fact label="Positions, USD" field="positionsValueUsdc">
            <Num value={positionsValueUsdc} digits={2} reason={VENUE_B_ONLY} />
          </Fact>
          <Fact label="As of" field="asOf">
            <Ago at={asOf} reason={NO_VALUE} />
          </Fact>
        </dl>
      )}
    </Panel>
  );
}
