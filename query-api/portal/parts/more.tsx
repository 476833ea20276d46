import type { Paged } from '../live/paged.ts';
import { FaultText } from './fault.tsx';

/** The button below a list that adds older rows. */
export function More<T>({ paged }: { readonly paged: Paged<T> }) {
  return (
    <>
      {paged.fault && <FaultText fault={paged.fault} />}
      {paged.hasMore && (
        <button type="button" class="more" data-action="more" disabled={paged.isLoading} onClick={paged.more}>
          {paged.isLoading ? 'Loading…' : 'Show more'}
        </button>
      )}
    </>
  );
}
