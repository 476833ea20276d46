import { wordsOf } from '../../format/names.ts';
import { Json } from '../../parts/json.tsx';
import { Num } from '../../parts/number.tsx';
import type { Link } from './shapes.ts';

/** A piece of evidence: an object is one piece for each of its fields, a list is joined by commas. */
function piecesOf([part, value]: readonly [string, unknown]): { readonly part: string; readonly text: string }[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([field, inner]) => piecesOf([`${part}.${field}`, inner]));
  return [{ part, text: Array.isArray(value) ? value.map(textOf).join(', ') : String(value) }];
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Which markets ask this question, and what that follows from. */
export function Evidence({ links }: { readonly links: readonly Link[] }) {
  return (
    <section class="panel" aria-labelledby="evidence">
      <div class="panel-head">
        <h2 id="evidence">Markets that ask this question</h2>
        <Json title="Evidence" value={links} />
      </div>
      <div class="links">
        {links.map((link) => (
          <article key={`${link.provider}.${link.providerMarketId}`} data-id={link.providerMarketId} tabIndex={-1}>
            <h3 data-field="title">{link.title}</h3>
            <p class="tags">
              <span class="tag" data-field="provider">
                {link.provider}
              </span>
              <span class={link.used ? 'tag good' : 'tag bad'} data-field="used">
                {link.used ? 'used' : 'not used'}
              </span>
              <span class="tag" data-field="polarity">
                {link.polarity === 'same' ? 'YES is YES' : 'YES is NO'}
              </span>
              <span class="tag">
                confidence{' '}
                <span data-field="confidence">
                  <Num value={link.confidence} digits={2} />
                </span>
              </span>
            </p>
            <dl class="facts one">
              {Object.entries(link.evidence)
                .flatMap(piecesOf)
                .map(({ part, text }) => (
                  <div key={part} data-field={`evidence.${part}`}>
                    <dt class="muted">{wordsOf(part)}</dt>
                    <dd>{text}</dd>
                  </div>
                ))}
            </dl>
          </article>
        ))}
      </div>
    </section>
  );
}
