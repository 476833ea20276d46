/** The frame of every page of the documents. It has no inline script and no inline style, and needs no script. */
import { type DocPage, GROUPS } from './page.ts';
import { escapeHtml, type Heading } from './render-markdown.ts';

/** Paths of what pages load, from the build of the portal. */
export interface DocAssets {
  readonly icon: string;
  readonly style: string;
  readonly script: string;
}

export interface DocContent {
  readonly title: string;
  /** The path of the page; null for one that is not listed, such as that of a search. */
  readonly path: string | null;
  readonly html: string;
  /** HTML after the text. */
  readonly form?: string;
  readonly headings: readonly Heading[];
  /** The text of the search form. */
  readonly query?: string;
  /** `data-state` of the main element. */
  readonly state?: 'ready' | 'empty' | 'missing';
}

/** Headings of pages with fewer are not listed beside the text. */
const CONTENTS_FROM = 3;

export function htmlPage(assets: DocAssets, pages: readonly DocPage[], content: DocContent): string {
  const { title, path, html, form = '', headings, query = '', state = 'ready' } = content;
  const markdown =
    path === null
      ? ''
      : `<link rel="alternate" type="text/markdown" href="${path}.md" title="This page as Markdown">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Parallax</title>
<link rel="icon" href="${escapeHtml(assets.icon)}">
<link rel="stylesheet" href="${assets.style}">
${markdown}<script type="module" src="${assets.script}"></script>
</head>
<body class="docs">
<a class="skip" href="#main">Skip to the page</a>
<header class="docs-head">
<a class="brand" href="/docs"><svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><path d="M2 13 7 3h2L4 13zm5 0 5-10h2L9 13z" fill="currentColor"/></svg>Parallax <span>documents</span></a>
<form role="search" action="/docs/search" data-form="search" hidden><input type="search" name="q" value="${escapeHtml(query)}" maxlength="100" placeholder="Search" aria-label="Search the documents"></form>
<a href="#pages" class="to-pages">Pages</a>
<a href="/docs/search">Index</a>
<a href="/portal/">Portal</a>
</header>
<div class="docs-body">
<main id="main" tabindex="-1" data-page="docs" data-state="${state}">
${contentsOf(headings)}<article class="document">
${html}</article>
${form}${path === null ? '' : `<p class="muted"><a href="${path}.md">This page as Markdown</a></p>\n`}</main>
<nav id="pages" class="docs-pages" aria-label="Pages">
${navigation(pages, path)}</nav>
</div>
</body>
</html>
`;
}

function contentsOf(headings: readonly Heading[]): string {
  const listed = headings.filter(({ depth }) => depth === 2);
  if (listed.length < CONTENTS_FROM) return '';
  const items = listed.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${text}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><ul>\n${items.join('\n')}\n</ul></nav>\n`;
}

/** The pages by group; below the current one, or the one that lists it, those that it lists. */
function navigation(pages: readonly DocPage[], current: string | null): string {
  const opened = pages.find(({ path }) => path === current)?.parent ?? current;
  const entry = (page: DocPage): string => {
    const mark = page.path === current ? ' aria-current="page"' : '';
    const below = page.path === opened ? pages.filter(({ parent }) => parent === page.path) : [];
    const list = below.length === 0 ? '' : `\n<ul>\n${below.map(entry).join('')}</ul>`;
    return `<li><a href="${page.path}"${mark}>${breakable(page.title)}</a>${list}</li>\n`;
  };
  return GROUPS.map((group) => {
    const own = pages.filter((page) => page.group === group && page.parent === undefined);
    return `<h2>${group}</h2>\n<ul>\n${own.map(entry).join('')}</ul>\n`;
  }).join('');
}

/** A title whose paths may continue on the next line after a slash. */
function breakable(title: string): string {
  return escapeHtml(title).replaceAll(/(?<=.)[/:]/g, '$&<wbr>');
}
