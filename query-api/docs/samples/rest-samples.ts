/** A call of the REST API as code that can be copied. Address and token come from the environment. Pure. */

export interface SampleRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** JSON; undefined for none. */
  readonly body?: unknown;
  /** False for a public route. */
  readonly needsToken: boolean;
  /** False for an answer without a body. */
  readonly hasAnswer: boolean;
}

const INDENT = 2;

export function curlOf({ method, path, body, needsToken }: Omit<SampleRequest, 'hasAnswer'>): string {
  const parts = ['curl -sS --fail-with-body'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (needsToken) parts.push('-H "Authorization: Bearer $PARALLAX_TOKEN"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body))}`);
  parts.push(`"$PARALLAX_URL"${shellQuoted(path)}`);
  return parts.join(' \\\n  ');
}

export function typescriptOf({ method, path, body, needsToken, hasAnswer }: SampleRequest): string {
  const headers = [
    ...(needsToken ? [`authorization: \`Bearer \${process.env.PARALLAX_TOKEN}\``] : []),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, INDENT))}),`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return [
    `const response = await fetch(\`\${process.env.PARALLAX_URL}${path.replaceAll(/[`\\]|\$\{/g, '\\$&')}\`${given});`,
    'if (!response.ok) throw new Error(await response.text());',
    hasAnswer ? 'console.log(await response.json());' : 'console.log(response.status);',
  ].join('\n');
}

export function pythonOf({ method, path, body, needsToken, hasAnswer }: SampleRequest): string {
  const headers = [
    ...(needsToken ? [`"Authorization": f"Bearer {os.environ['PARALLAX_TOKEN']}"`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["PARALLAX_URL"] + ${JSON.stringify(path)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(body === undefined
      ? []
      : [`    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(body))})).encode(),`]),
    ')',
    'with urllib.request.urlopen(request, timeout=30) as response:',
    hasAnswer ? '    print(json.load(response))' : '    print(response.status)',
  ].join('\n');
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** A text as one word of a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
