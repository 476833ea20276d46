/** Pages that follow from declarations alone: settings, errors and limits. */
import { settingsTable } from '#infra/config/help';
import { SETTINGS } from '#infra/config/settings';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { ERRORS } from '#schemas/errors';
import { CLOSE, STREAM_ERRORS } from '#schemas/stream/frames';
import { readGuide } from './guides.ts';
import { type DocPage, table } from './page.ts';

const units = (count: number | null) => (count === null ? 'unlimited' : count.toLocaleString('en-US'));

function settings(): string {
  return `# Settings

Every setting of the service is a flag, an environment variable, or both. A variable that ends in \`_FILE\` names a file that holds the value. An invalid value ends the start with exit code 2 and a line that names it.

${settingsTable(SETTINGS)}
`;
}

function errors(): string {
  const rest = Object.entries(ERRORS).map(([name, { status, canRetry, meaning }]) => [
    `\`${name}\``,
    String(status),
    canRetry ? 'yes' : 'no',
    meaning,
  ]);
  const closes = Object.values(CLOSE).map(({ code, reason }) => [String(code), reason]);
  return `# Errors

## REST

Every error has the same body. Clients branch on \`error.code\`; the message is for people and may change.

\`\`\`json
{"error":{"code":"validation_failed","message":"limit: expected an integer","requestId":"4b1d…"}}
\`\`\`

- A message of a 400 or 422 begins with the name of the parameter or field.
- \`requestId\` is also the header \`X-Request-Id\`; the log of the service names it.
- An unknown query parameter or body field is 400 \`validation_failed\`. A body above 1 MiB is 413.
- 503 \`internal_error\` is sent while the service starts or cannot serve now. \`Retry-After\` says for how many seconds to wait.
- A read may be repeated. A \`POST\` that creates something is repeated with the same \`Idempotency-Key\`, so that it happens once.

${table(['code', 'status', 'a retry can succeed', 'meaning'], rest)}

## WebSocket

A frame \`error\` leaves the connection open. [Stream](/docs/stream) says what to do about each.

${table(
  ['error'],
  STREAM_ERRORS.map((name) => [`\`${name}\``]),
)}

Codes with which the server closes a connection:

${table(['code', 'reason'], closes)}
`;
}

/** The guide about limits, with the quotas of each plan as declared. */
function limits(): string {
  const rows = Object.entries(DEFAULT_QUOTAS).map(([plan, { 'ws.message': messages, ...rest }]) => {
    const { minute, day } = rest['api.request'];
    return [`\`${plan}\``, ...[minute, day, messages.minute, messages.day].map(units)];
  });
  const quotas = table(['plan', 'each SKU of REST, a minute', 'a day', '`ws.message`, a minute', 'a day'], rows);
  return `${readGuide('limits')}\n## Quotas of the plans\n\n${quotas}\n\n[Keys, organizations, quotas and times](/docs/accounts#quotas) says how they are counted.\n`;
}

export function generatedPages(): DocPage[] {
  return [
    {
      path: '/docs/errors',
      title: 'Errors',
      summary: 'Every error code of REST and WebSocket, and whether a retry can succeed.',
      group: 'API',
      markdown: errors,
    },
    {
      path: '/docs/limits',
      title: 'Limits',
      summary: 'How much a client may send, request and receive.',
      group: 'API',
      names: ['docs/limits.md'],
      markdown: limits,
    },
    {
      path: '/docs/settings',
      title: 'Settings',
      summary: 'Every flag and environment variable of the service.',
      group: 'Operation',
      markdown: settings,
    },
  ];
}
