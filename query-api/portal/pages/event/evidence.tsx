import { Num } from '../../parts/number.tsx';
import type { Link } from './shapes.ts';

/** A piece of evidence as text: lists with commas, objects as JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Which markets ask this question, and what that follows from. */
export function Evidence({ links }: { readonly links: readonly Link[] }) {
  return (
    <section class="panel" aria-labelledby="evidence">
      <h2 id="evidence">Markets that ask this question</h2>
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
                confidence <Num value={link.confidence} digits={2} />
              </span>
            </p>
            <dl class="facts one">
              {Object.entries(link.evidence).map(([part, value]) => (
                <div key={part}>
                  <dt class="muted">{part}</dt>
                  <dd>{textOf(value)}</dd>
                </div>
              ))}
            </dl>
          </article>
        ))}
      </div>
    </section>
  );
}
