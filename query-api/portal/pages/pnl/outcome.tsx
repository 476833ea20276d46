import { PRICE_PROVIDERS } from '#schemas/domain/providers';
import { Unknown } from '../../parts/unknown.tsx';

interface OutcomeProps {
  readonly provider: string;
  readonly outcome: string | null;
}

/** The outcome that a token stands for. A perpetual or a spot coin stands for none. */
export function Outcome({ provider, outcome }: OutcomeProps) {
  if (outcome !== null) return <>{outcome}</>;
  return PRICE_PROVIDERS.has(provider) ? <>–</> : <Unknown reason="the catalog does not name it yet" />;
}
