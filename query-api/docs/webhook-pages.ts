/** The pages of webhooks, from the declared event types and the guide for receivers. */

import { type JsonObject, jsonSchemaOf } from '#schemas/json-schema';
import { cloudEventBody } from '#schemas/webhooks/cloud-event';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { readGuide, sectionOf, titleOf } from './guides.ts';
import { code, type DocPage, listOf, text } from './page.ts';
import { schemaTable } from './schema-table.ts';

const WEBHOOKS = '/docs/webhooks';
const GUIDE = 'webhooks';
/** Shown in samples, where the service has an id and a time of its own. */
const SAMPLE_ID = 'we_783685afbf73784509e4692ced0172b1';
const SAMPLE_AT = Date.UTC(2026, 0, 1);
const INDENT = 2;

/** The pages of all event types, after the guide. */
export function webhookPages(): DocPage[] {
  const guide = readGuide(GUIDE);
  const pages = EVENT_TYPES.map(typePage);
  const index: DocPage = {
    path: WEBHOOKS,
    title: titleOf(guide),
    summary: 'How events are delivered, signed and repeated, and every event type.',
    group: 'API',
    names: ['docs/webhooks.md'],
    markdown: () => `${guide}\n## Every event type\n\n${listOf(pages)}\n`,
  };
  return [index, ...pages];
}

function typePage(declared: (typeof EVENT_TYPES)[number]): DocPage {
  const { type, version, description, delivering } = declared;
  return {
    path: `${WEBHOOKS}/${type}`,
    title: type,
    summary: delivering ? description : `${description} Not delivered yet.`,
    group: 'API',
    parent: WEBHOOKS,
    names: [type],
    markdown: () =>
      text(
        `# ${type}`,
        description,
        ...(delivering ? [] : ['Nothing produces events of this type yet; subscriptions are accepted.']),
        `Version ${version}. A subscription names the type and its version:`,
        code('json', JSON.stringify({ eventType: type, version, filters: {} })),
        '## Filters',
        tableOf(declared.filters),
        '## Sample',
        `The body of a delivery. \`POST /v1/webhooks/{id}/test\` sends one like it.`,
        code('json', JSON.stringify(JSON.parse(sampleOf(declared)), null, INDENT)),
        '## Fields of `data`',
        tableOf(declared.data),
        sectionOf(readGuide(GUIDE), 'Verify the signature'),
        `[Receivers of webhooks](${WEBHOOKS}) describes what to answer and when deliveries are repeated.`,
      ),
  };
}

function tableOf(schema: (typeof EVENT_TYPES)[number]['data' | 'filters']): string {
  const shared: Record<string, unknown> = {};
  const declared: JsonObject = jsonSchemaOf(schema, 'output', shared);
  return schemaTable(declared, shared);
}

function sampleOf({ type, version, sample }: (typeof EVENT_TYPES)[number]): string {
  const subject = 'universalId' in sample && sample.universalId !== null ? sample.universalId : sampleId(sample);
  return cloudEventBody({ id: SAMPLE_ID, type, version, time: SAMPLE_AT, subject, data: sample });
}

function sampleId(sample: object): string {
  return 'id' in sample ? String(sample.id) : SAMPLE_ID;
}
