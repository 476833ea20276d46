/** What failed, with the code and the request id that an operator asks for, and what to do about it. */
import { type ApiFault, adviceFor, type UsedQuota } from '../live/api-fault.ts';
import { Num } from './number.tsx';
import { Until } from './time.tsx';

export function FaultText({ fault }: { readonly fault: ApiFault }) {
  return (
    <div class="fault" role="alert" data-error-code={fault.code} data-request-id={fault.requestId ?? ''}>
      <p>
        <strong>{headlineOf(fault)}</strong>
      </p>
      <p>{fault.message}</p>
      {fault.quota && <Used quota={fault.quota} />}
      {!fault.isForbidden && !fault.isMissing && <p>{adviceFor(fault)}</p>}
      <p class="muted">
        <code>{fault.code}</code>
        {fault.requestId && (
          <>
            {' · request '}
            <code>{fault.requestId}</code>
          </>
        )}
      </p>
    </div>
  );
}

/** How much of a quota is used, and when its window ends. */
function Used({ quota: { sku, limit, used, resetAt } }: { readonly quota: UsedQuota }) {
  return (
    <p data-id={sku}>
      <span data-field="used">
        <Num value={used} />
      </span>{' '}
      of{' '}
      <span data-field="limit">
        <Num value={limit} />
      </span>{' '}
      units of <code>{sku}</code> are used. The next window begins{' '}
      <span data-field="resetAt">
        <Until at={resetAt} />
      </span>
      .
    </p>
  );
}

function headlineOf(fault: ApiFault): string {
  if (fault.isForbidden) return 'Your key lacks the scope for this';
  if (fault.isMissing) return 'There is nothing under this address';
  if (fault.code === 'quota_exceeded') return 'The quota is used up';
  if (fault.status === 0) return 'No answer';
  return fault.status < 500 ? 'The request was refused' : 'The service failed';
}
