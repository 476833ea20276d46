/** The pages that are written by hand: the Markdown files of `docs/`. */
import { readFileSync } from 'node:fs';
import type { DocPage, PageGroup } from './page.ts';

type Guide = readonly [name: string, group: PageGroup, summary: string];

const GUIDES: readonly Guide[] = [
  ['quickstart', 'Start', 'From an empty folder to live spreads, by REST, WebSocket and webhook.'],
  ['accounts', 'API', 'Keys and scopes, organizations, the sandbox, times.'],
  ['figures', 'Figures', 'How each number is calculated, with the source of each rule.'],
  ['event-life', 'Figures', 'How a question is resolved, and when an event is archived.'],
  ['glossary', 'Figures', 'One word for each thing.'],
  ['operations', 'Operation', 'Run it, watch it, and what it needs.'],
  ['runbook', 'Operation', 'What to do when an alert fires, and routine work.'],
  ['replay', 'Operation', 'What can be derived again, and what a verification compares.'],
  ['architecture', 'Development', 'How it works and why, in ten minutes.'],
  ['how-to-add', 'Development', 'Every file that an addition touches.'],
  ['reference', 'Development', 'Every command, setting, route, channel, error, topic and table on one page.'],
];

/** The text of a file of `docs/`. */
export function readGuide(name: string): string {
  // Paths from this module, in the sources and in the build.
  for (const folder of ['../../docs', '../../../docs']) {
    try {
      return readFileSync(new URL(`${folder}/${name}.md`, import.meta.url), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`docs/${name}.md is missing`);
}

/** The first heading of a text. */
export function titleOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error('a page of the documents has no heading');
  return title;
}

/** A section with its heading, up to the next heading of the same depth. */
export function sectionOf(markdown: string, heading: string): string {
  const [, after] = markdown.split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`there is no section ${heading}`);
  return `## ${heading}\n${after.split(/\n## /, 1)[0]!.trimEnd()}`;
}

export function guidePages(): DocPage[] {
  return GUIDES.map(([name, group, summary]) => {
    const markdown = readGuide(name);
    return {
      path: `/docs/${name}`,
      title: titleOf(markdown),
      summary,
      group,
      names: [`docs/${name}.md`],
      markdown: () => markdown,
    };
  });
}
