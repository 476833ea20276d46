import { useSignal } from '@preact/signals';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Code } from '../../parts/code.tsx';
import { Copy } from '../../parts/copy.tsx';
import type { SentDelivery } from './shapes.tsx';

/** The body on several lines; unchanged if it is no JSON. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** What was sent: the headers of an attempt, and the body, which is the same in every attempt. */
export function Sent({ delivery: { attempts, body } }: { readonly delivery: SentDelivery }) {
  const isIndented = useSignal(false);
  const options = attempts.map((_, index) => [String(index + 1), `Attempt ${index + 1}`] as const).reverse();
  const attempt = options.length === 0 ? null : attempts[Number(chosen('attempt', options)) - 1]!;
  const headers = attempt?.requestHeaders ?? null;
  return (
    <section class="panel" aria-labelledby="sent">
      <div class="panel-head">
        <h2 id="sent">What was sent</h2>
        {options.length > 1 && <Choice name="attempt" label="Headers of" options={options} />}
      </div>
      {headers === null ? (
        <p class="muted">
          {attempt === null
            ? 'No request was made yet.'
            : 'The headers of this attempt are not known: it made no request.'}
        </p>
      ) : (
        <dl class="facts one">
          {Object.entries(headers).map(([name, value]) => (
            <div key={name} data-id={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd data-field="requestHeaders">
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div class="panel-head">
        <h3>Body</h3>
        <span class="actions">
          <button
            type="button"
            data-action="indent"
            onClick={() => {
              isIndented.value = !isIndented.value;
            }}
          >
            {isIndented.value ? 'As sent' : 'Indented'}
          </button>
          <Copy text={body} label="Copy body" />
        </span>
      </div>
      <Code label="Body" field="body" text={isIndented.value ? indented(body) : body} />
    </section>
  );
}
