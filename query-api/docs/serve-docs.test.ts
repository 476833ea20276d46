import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { readExamples } from '../openapi/examples.ts';
import { operationId } from '../openapi/naming.ts';
import { readPortalFiles } from '../pages/portal-files.ts';
import { faultOf, type Schema, typedValue } from '../portal/docs/validate-schema.ts';
import { findPage } from '../portal/pages.ts';
import { ROUTES } from '../routes/index.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { docPages } from './pages.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const files = readPortalFiles();
const JSON_TYPE = 'application/json; charset=utf-8';
const PAGES = docPages(ROUTES).map(({ path }) => path);
/** Pages that the contract names. */
const NAMED = [
  '',
  '/quickstart',
  '/settings',
  '/errors',
  '/limits',
  '/figures',
  '/glossary',
  '/operations',
  '/runbook',
];
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ app: { portal: { files, streamUrlOf: () => 'ws://docs.example:9/v1/stream' } } });
});
afterAll(() => app.app.close());
const get = (path: string, headers: Record<string, string> = {}) => app.request('GET', path, headers);

const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
/** The text of an attribute or of an element. */
const unescaped = (html: string) => html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (found) => CHARACTERS[found]!);

/** The targets of all links of a page. */
const linksOf = (html: string) => [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].map((found) => found[1]!);
const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map((found) => found[1]!));

describe('the documents', () => {
  it('have the pages that clients may rely on', () => {
    expect(PAGES).toEqual(expect.arrayContaining(NAMED.map((path) => `/docs${path}`)));
    expect(new Set(PAGES).size).toBe(PAGES.length);
  });

  it('are served without a token as HTML and as Markdown, with the headers of the portal', async () => {
    for (const path of PAGES) {
      const [html, markdown] = [await get(path), await get(`${path}.md`)];
      expect([html.status, html.headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8']);
      expect([markdown.status, markdown.headers['content-type']], path).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(html.headers, path).toMatchObject({ ...HEADERS, 'cache-control': 'no-cache' });
      expect(html.headers['content-security-policy'], path).toContain("script-src 'self'; style-src 'self'");
      expect(html.headers['content-security-policy'], path).toContain("connect-src 'self' ws://docs.example:9;");
      expect(markdown.body, path).toMatch(/^# \S/);
      expect(html.body, path).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+="/);
    }
  });

  it('are revalidated by their tag', async () => {
    for (const path of ['/docs', '/docs/glossary.md', '/llms.txt']) {
      const { etag } = (await get(path)).headers as { etag: string };
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, again.body, again.headers.etag], path).toEqual([304, '', etag]);
    }
  });

  it('state where the stream is, for the host that was requested', async () => {
    const { status, headers, json } = await get('/docs/stream-url.json');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, JSON_TYPE, 'no-cache']);
    expect(json()).toEqual({ streamUrl: 'ws://docs.example:9/v1/stream' });
  });

  it('are there while the service starts', async () => {
    app.setReady(false);
    const got = await get('/docs').finally(() => app.setReady(true));
    expect(got.status).toBe(200);
  });

  it('have no dead link', async () => {
    const known = new Map<string, Set<string>>();
    const dead: string[] = [];
    for (const page of [...PAGES, '/docs/search', '/docs/search?q=event', '/docs/nothing']) {
      for (const link of linksOf((await get(page)).body)) {
        if (/^https?:/.test(link)) continue;
        const { pathname, hash } = new URL(link, `http://docs.example${page}`);
        // A fragment alone leads to the page itself, also to one that is not listed.
        if (link === '#main' || link === '#pages') continue;
        // Every address below /portal/ is answered, also where there is no page.
        if (pathname.startsWith('/portal/') && pathname !== '/portal/login' && findPage(pathname) === null)
          dead.push(`${page} → ${link}`);
        if (!known.has(pathname)) {
          const got = await get(pathname);
          if (got.status === 200) known.set(pathname, idsOf(got.body));
        }
        const ids = known.get(pathname);
        if (ids === undefined || (hash !== '' && !ids.has(decodeURIComponent(hash.slice(1)))))
          dead.push(`${page} → ${link}`);
      }
    }
    expect(known.size).toBeGreaterThan(PAGES.length);
    expect(dead).toEqual([]);
  });

  it('accept in the form of every operation the request of its example, and no number that is none', async () => {
    const examples = readExamples();
    const refused: string[] = [];
    for (const route of ROUTES) {
      const { body: html } = await get(`/docs/rest/${operationId(route)}`);
      const values = examples.parametersOf(route);
      for (const [, name, schemaText] of html.matchAll(/ name="([^"]+)" data-in="\w+" data-schema="([^"]*)"/g)) {
        const schema = JSON.parse(unescaped(schemaText!)) as Schema;
        const value = values.get(name!);
        const fault = value === undefined ? null : faultOf(typedValue(value, schema), schema, name!);
        if (fault !== null) refused.push(`${operationId(route)}: ${fault}`);
        if (schema.type === 'number' || schema.type === 'integer')
          expect(faultOf(typedValue('abc', schema), schema, name!), operationId(route)).not.toBeNull();
      }
      const body = /<textarea name="body"[^>]* data-schema="([^"]*)"[^>]*>\n([^<]*)</.exec(html);
      if (body === null || body[2] === '') continue;
      const fault = faultOf(JSON.parse(unescaped(body[2]!)), JSON.parse(unescaped(body[1]!)) as Schema, '');
      if (fault !== null) refused.push(`${operationId(route)}: ${fault}`);
    }
    expect(refused).toEqual([]);
  });

  it('say so where there is no page', async () => {
    for (const path of ['/docs/nothing', '/docs/nothing.md', '/docs/constructor', '/docs/..%2fpackage.json']) {
      const got = await get(path);
      expect([got.status, got.headers['content-type']], path).toEqual([404, 'text/html; charset=utf-8']);
      expect(got.body).toContain('data-state="missing"');
    }
  });

  it('allow GET and HEAD only', async () => {
    for (const path of ['/docs', '/docs/glossary', '/llms.txt']) {
      expect((await app.request('HEAD', path)).status, path).toBe(200);
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const got = await app.request(method, path);
        expect([got.status, got.headers.allow], `${method} ${path}`).toEqual([405, 'GET, HEAD']);
      }
    }
  });

  it('are not there when the portal is turned off', async () => {
    const off = await createTestApp();
    for (const path of ['/docs', '/docs/glossary', '/docs/glossary.md', '/llms.txt', '/llms-full.txt'])
      expect((await off.request('GET', path)).status, path).toBe(404);
    await off.app.close();
  });
});

describe('the pages of the API', () => {
  it('are one for each operation, with its parameters, errors, calls and a form that tries it', async () => {
    const { paths } = (await get('/openapi.json')).json() as { paths: Record<string, Record<string, Operation>> };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(ROUTES.length);
    for (const { operationId, parameters, responses } of operations) {
      const { body } = await get(`/docs/rest/${operationId}.md`);
      for (const { name } of parameters) expect(body, operationId).toContain(`| \`${name}\` |`);
      for (const status of Object.keys(responses))
        expect(body, operationId).toMatch(new RegExp(`^\\| ${status} \\||^## Answer ${status}$`, 'm'));
      for (const language of ['sh', 'ts', 'python']) expect(body, operationId).toContain(`\`\`\`${language}\n`);
      const { body: html } = await get(`/docs/rest/${operationId}`);
      const [, form] = /<form data-form="try" ([\s\S]*?)<\/form>/.exec(html)!;
      for (const { name } of parameters) expect(form, operationId).toContain(` name="${name}"`);
    }
  });

  it('are one for each channel, with a form that subscribes to it, and one for all frames', async () => {
    const { channels } = (await get('/asyncapi.json')).json() as {
      channels: Record<
        string,
        { address: string; messages: Record<string, unknown>; parameters?: Record<string, unknown> }
      >;
    };
    for (const [name, { address, messages, parameters = {} }] of Object.entries(channels)) {
      const { body } = await get(`/docs/stream/${name}.md`);
      expect(body, name).toContain(address);
      if (name !== 'stream') {
        const { body: html } = await get(`/docs/stream/${name}`);
        const [, form] = /<form data-form="subscribe" ([\s\S]*?)<\/form>/.exec(html)!;
        expect(form, name).toContain(`data-address="${address}"`);
        for (const parameter of [...Object.keys(parameters), 'since', 'token'])
          expect(form, name).toContain(` name="${parameter}"`);
      } else for (const frame of Object.keys(messages)) expect(body).toContain(`\n## \`${frame}\`\n`);
    }
  });

  it('are one for each event type of webhooks, with a sample and the code that verifies it', async () => {
    for (const { type, sample } of EVENT_TYPES) {
      const { body } = await get(`/docs/webhooks/${type}.md`);
      const blocks = [...body.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((found) => JSON.parse(found[1]!));
      expect(blocks.at(-1), type).toMatchObject({ specversion: '1.0', type, data: sample });
      for (const language of ['js', 'python', 'bash']) expect(body, type).toContain(`\`\`\`${language}\n`);
    }
  });

  it('are where other pages mention a route, a page or an event type in code', async () => {
    expect((await get('/docs/accounts')).body).toContain('<a href="/docs/rest/postKeys"><code>POST /keys</code></a>');
    expect((await get('/docs/webhooks')).body).toContain('<a href="/docs/webhooks/event.spread.changed">');
  });
});

describe('the search', () => {
  it('leads to the sections that contain every word', async () => {
    const { body } = await get('/docs/search?q=Idempotency-Key%20webhooks');
    expect(body).toContain('<a href="/docs/rest/postWebhooks');
    expect(body).toContain('value="Idempotency-Key webhooks"');
  });

  it('lists every page without a word', async () => {
    const { body } = await get('/docs/search');
    for (const path of PAGES) expect(body).toContain(`<a href="${path}">`);
  });

  it('shows what was searched as text, and says when nothing was found', async () => {
    const { body } = await get('/docs/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E%22');
    expect(body).toContain('data-state="empty"');
    expect(body).toContain('Search: &lt;script&gt;alert(1)&lt;/script&gt;&quot;');
    expect(body).not.toContain('<script>');
  });
});

describe('the pages for language models', () => {
  it('list every page with its Markdown, and contain every page', async () => {
    const [list, full] = [(await get('/llms.txt')).body, (await get('/llms-full.txt')).body];
    for (const path of PAGES) {
      expect(list).toContain(`(${path}.md): `);
      expect(full).toContain((await get(`${path}.md`)).body.trim());
    }
  });
});
