/** Every page of the documents. */
import type { Route } from '../routes/route.ts';
import { generatedPages } from './generated-pages.ts';
import { guidePages } from './guides.ts';
import { type DocPage, GROUPS, listOf } from './page.ts';
import { restPages } from './rest-pages.ts';
import { streamPages } from './stream-pages.ts';
import { webhookPages } from './webhook-pages.ts';

/** What Parallax is, in one sentence. */
export const ABOUT =
  'Parallax watches prediction markets and derivatives on several venues and serves what no single venue can know: which markets ask the same question, and the spread and the arbitrage between them.';

const PROGRAMS = `## For programs

- [/openapi.json](/openapi.json) and [/openapi.yaml](/openapi.yaml): the REST API as OpenAPI 3.1.
- [/asyncapi.json](/asyncapi.json) and [/asyncapi.yaml](/asyncapi.yaml): the stream as AsyncAPI 3.0.
- [/llms.txt](/llms.txt) lists these pages for language models, [/llms-full.txt](/llms-full.txt) contains them.
- Every page is Markdown too, under the same path with \`.md\`.`;

/** Every page, the home page first. */
export function docPages(routes: readonly Route[]): DocPage[] {
  const pages = [...guidePages(), ...restPages(routes), ...streamPages(), ...webhookPages(), ...generatedPages()];
  return [homePage(pages), ...pages];
}

function homePage(pages: readonly DocPage[]): DocPage {
  const sections = GROUPS.map((group) => {
    const own = pages.filter((page) => page.group === group && page.parent === undefined);
    return `## ${group}\n\n${listOf(own)}`;
  });
  return {
    path: '/docs',
    title: 'Parallax documents',
    summary: 'All pages.',
    group: 'Start',
    markdown: () => `# Parallax documents\n\n${ABOUT}\n\n${sections.join('\n\n')}\n\n${PROGRAMS}\n`,
  };
}
