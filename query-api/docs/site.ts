/** The documents as they are served. Pages are collected and rendered when they are first requested, once each. */
import { EncodedBody } from '../http/encodings.ts';
import { etagOf } from '../http/validators.ts';
import { once } from '../openapi/served-documents.ts';
import type { Route } from '../routes/route.ts';
import { type DocAssets, type DocContent, htmlPage } from './layout.ts';
import { llmsFullText, llmsText } from './llms.ts';
import type { DocPage } from './page.ts';
import { docPages } from './pages.ts';
import { type RenderedMarkdown, renderMarkdown } from './render-markdown.ts';
import { type Section, searchSections, wordsOf } from './search.ts';
import { hitList, pageIndex, sectionsOf } from './search-page.ts';

const HTML_TYPE = 'text/html; charset=utf-8';
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const MARKDOWN_END = '.md';

/** A document with its tag. */
export interface ServedDocument {
  readonly body: EncodedBody;
  readonly etag: string;
}

export class DocSite {
  private readonly routes: readonly Route[];
  private readonly assets: DocAssets;
  private readonly served = new Map<string, ServedDocument>();
  private collected: Collected | null = null;

  constructor(routes: readonly Route[], assets: DocAssets) {
    this.routes = routes;
    this.assets = assets;
  }

  /** Every page, the home page first. */
  get pages(): readonly DocPage[] {
    return this.collect().pages;
  }

  /** What a path returns, for example `/docs/rest`, `/docs/rest.md` or `/llms.txt`; null if there is nothing. */
  find(path: string): ServedDocument | null {
    const known = this.served.get(path);
    if (known) return known;
    const body = this.render(path);
    if (body === null) return null;
    const document = { body, etag: etagOf(body.plain) };
    this.served.set(path, document);
    return document;
  }

  /** The sections that contain every word of the query; every page if it has no words. */
  search(query: string): EncodedBody {
    const { sections } = this.collect();
    const hits = searchSections(sections(), query);
    const hasWords = wordsOf(query).length > 0;
    const html = hasWords ? hitList(query, hits) : pageIndex(this.pages);
    const state = hasWords && hits.length === 0 ? 'empty' : 'ready';
    return this.frame({ title: hasWords ? 'Search' : 'Index', path: null, html, headings: [], query, state });
  }

  /** The page for a path that has none. */
  missing(): EncodedBody {
    const html = '<h1>There is no such page</h1>\n<p>The <a href="/docs/search">index</a> lists all pages.</p>\n';
    return this.frame({ title: 'No such page', path: null, html, headings: [], state: 'missing' });
  }

  private render(path: string): EncodedBody | null {
    if (path === '/llms.txt') return textBody(llmsText(this.pages), TEXT_TYPE);
    if (path === '/llms-full.txt') return textBody(llmsFullText(this.pages), TEXT_TYPE);
    const { byPath } = this.collect();
    if (path.endsWith(MARKDOWN_END)) {
      const page = byPath.get(path.slice(0, -MARKDOWN_END.length));
      return page ? textBody(page.markdown(), MARKDOWN_TYPE) : null;
    }
    const page = byPath.get(path);
    if (page === undefined) return null;
    const { html, headings } = this.renderPage(page);
    const form = page.form?.();
    const parts = form ? { form: form.html, headings: [...headings, form.heading] } : { headings };
    return this.frame({ title: page.title, path, html, ...parts });
  }

  private renderPage(page: DocPage, { byName }: Pick<Collected, 'byName'> = this.collect()): RenderedMarkdown {
    return renderMarkdown(page.markdown(), (name) => {
      const path = byName.get(name) ?? null;
      return path === page.path ? null : path;
    });
  }

  private frame(content: DocContent): EncodedBody {
    return textBody(htmlPage(this.assets, this.pages, content), HTML_TYPE);
  }

  private collect(): Collected {
    if (this.collected) return this.collected;
    const pages = docPages(this.routes);
    const byName = new Map(pages.flatMap(({ names = [], path }) => names.map((name) => [name, path] as const)));
    this.collected = {
      pages,
      byPath: new Map(pages.map((page) => [page.path, page])),
      byName,
      sections: once(() => pages.flatMap((page) => sectionsOf(page, this.renderPage(page, { byName }).html))),
    };
    return this.collected;
  }
}

interface Collected {
  readonly pages: readonly DocPage[];
  readonly byPath: ReadonlyMap<string, DocPage>;
  /** Paths of pages by the texts in code that mean them. */
  readonly byName: ReadonlyMap<string, string>;
  /** What a search looks through. */
  readonly sections: () => readonly Section[];
}

function textBody(text: string, type: string): EncodedBody {
  return new EncodedBody(Buffer.from(text), type);
}
