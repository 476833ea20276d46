/** Renders Markdown as HTML that holds nothing but text, links and the elements of Markdown. */
import { Marked, type RendererObject } from 'marked';

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (found) => ESCAPES[found]!);
}

/** A sentence of a declaration, with code between backticks. */
export function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Tables with as many columns become cards on phones. */
const CARDS_FROM = 3;

/** @param pathOfName returns the page that a text in code means; null if it means none. */
export function renderMarkdown(markdown: string, pathOfName: (name: string) => string | null): RenderedMarkdown {
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  let isInLink = false;
  const renderer: RendererObject = {
    // HTML in a text is shown as what it is.
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    code: ({ text, lang }) =>
      `<pre tabindex="0"><code${lang ? ` class="language-${escapeHtml(lang)}"` : ''}>${escapeHtml(text)}</code></pre>\n`,
    codespan: ({ text }) => {
      const shown = `<code>${escapeHtml(text)}</code>`;
      const path = isInLink ? null : pathOfName(text);
      return path === null ? shown : `<a href="${escapeHtml(path)}">${shown}</a>`;
    },
    heading({ tokens, depth }) {
      const text = this.parser.parseInline(tokens, this.parser.textRenderer);
      const id = uniqueId(text, ids);
      headings.push({ id, text, depth });
      return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      isInLink = true;
      const text = this.parser.parseInline(tokens);
      isInLink = false;
      const target = targetOf(href);
      return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
    },
    table({ header, rows }) {
      const isCards = header.length >= CARDS_FROM;
      const labels = header.map(({ tokens }) => this.parser.parseInline(tokens, this.parser.textRenderer));
      const labelOf = (column: number) => (isCards && column > 0 ? ` data-label="${escapeHtml(labels[column]!)}"` : '');
      const head = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`).join('');
      const row = (cells: typeof header) =>
        `<tr>${cells.map(({ tokens }, column) => `<td${labelOf(column)}>${this.parser.parseInline(tokens)}</td>`).join('')}</tr>`;
      const table = `<table${isCards ? ' class="cards"' : ''}>`;
      return `<div class="scroll" role="group" aria-label="Table" tabindex="0">${table}\n<thead><tr>${head}</tr></thead>\n<tbody>${rows.map(row).join('\n')}</tbody>\n</table></div>\n`;
    },
  };
  const marked = new Marked({ gfm: true, async: false, renderer });
  const html = marked.parse(markdown) as string;
  return { html, headings };
}

/** The id of a heading, as GitHub makes it. */
function uniqueId(text: string, ids: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/<[^>]*>|&[a-z#0-9]+;|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

/** The target of a link: a path, a fragment, a page of `docs/`, or a web page; null for anything else. */
function targetOf(href: string): string | null {
  if (/^(?:#|\/(?!\/)|https?:\/\/)/.test(href)) return href;
  const guide = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href);
  return guide ? `/docs/${guide[1]}${guide[2] ?? ''}` : null;
}
