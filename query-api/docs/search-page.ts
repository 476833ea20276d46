/** The page of a search, and the index that is shown without one. */
import { type DocPage, GROUPS } from './page.ts';
import { escapeHtml } from './render-markdown.ts';
import type { Hit, Section } from './search.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The sections of a page, from its HTML: the text below each heading. */
export function sectionsOf({ path, title }: DocPage, html: string): Section[] {
  const [, ...parts] = html.split(/<h[1-3] id="([^"]*)">/);
  const sections: Section[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [heading = '', ...rest] = parts[at + 1]!.split(/<\/h[1-3]>/);
    const isFirst = at === 0;
    sections.push({
      path: isFirst ? path : `${path}#${parts[at]}`,
      pageTitle: title,
      heading: isFirst ? '' : textOf(heading),
      text: textOf(rest.join(' ')),
    });
  }
  return sections;
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([a-z#0-9]+);/g, (found, name: string) => ENTITIES[name] ?? found)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export function hitList(query: string, hits: readonly Hit[]): string {
  const title = `<h1>Search: ${escapeHtml(query)}</h1>\n`;
  if (hits.length === 0)
    return `${title}<p>No page contains all of these words. The <a href="/docs/search">index</a> lists all pages.</p>\n`;
  const items = hits.map(({ section: { path, pageTitle, heading }, excerpt }) => {
    const name = heading === '' ? pageTitle : `${pageTitle}: ${heading}`;
    return `<li data-id="${escapeHtml(path)}"><a href="${escapeHtml(path)}">${escapeHtml(name)}</a><p>${escapeHtml(excerpt)}</p></li>`;
  });
  return `${title}<ul class="hits">\n${items.join('\n')}\n</ul>\n`;
}

export function pageIndex(pages: readonly DocPage[]): string {
  const groups = GROUPS.map((group) => {
    const items = pages
      .filter((page) => page.group === group)
      .map(({ path, title, summary }) => `<li><a href="${path}">${escapeHtml(title)}</a>: ${escapeHtml(summary)}</li>`);
    return `<h2>${group}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`;
  });
  return `<h1>Index</h1>\n${groups.join('')}`;
}
