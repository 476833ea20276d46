/**
 * Code that verifies the signature of a delivery (Standard Webhooks 1.0): HMAC-SHA-256 over
 * `<webhook-id>.<webhook-timestamp>.<body>`, with the base64 part of the secret as the key. A test runs all but that in Go.
 */
const TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** True if the secret signed this delivery in the last five minutes. \`body\` is the raw text of the request. */
export function isAuthentic(headers: Record<string, unknown>, body: string, secret: string): boolean {
  const timestamp = String(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${headers['webhook-id']}.\${timestamp}.\${body}\`).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
`;

const PYTHON = `import base64, hashlib, hmac, time


def is_authentic(headers, body: bytes, secret: str) -> bool:
    """True if the secret signed this delivery in the last five minutes. body is the raw request."""
    timestamp = headers["webhook-timestamp"]
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) >= 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    digest = hmac.new(key, content, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(part, expected) for part in headers["webhook-signature"].split(" "))
`;

const GO = `package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsAuthentic is true if the secret signed this delivery in the last five minutes. body is the raw request.
func IsAuthentic(header http.Header, body []byte, secret string) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() >= 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, part := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}
`;

const SHELL = `# Signs a delivery with openssl and sends it with curl, to try out your endpoint.
secret="\${SECRET:?the whsec_ secret}"
url="\${URL:?the URL of your endpoint}"
body='{"specversion":"1.0","id":"we_trial","source":"/v1/webhooks","type":"trial"}'
timestamp="$(date +%s)"
key="$(printf %s "\${secret#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')"
signature="v1,$(printf '%s.%s.%s' we_trial "$timestamp" "$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)"
curl -sS -X POST "$url" -H 'Content-Type: application/cloudevents+json; charset=utf-8' \\
  -H 'webhook-id: we_trial' -H "webhook-timestamp: $timestamp" -H "webhook-signature: $signature" \\
  --data-binary "$body"
`;

export const VERIFY_SNIPPETS = [
  { language: 'typescript', label: 'TypeScript', code: TYPESCRIPT },
  { language: 'python', label: 'Python', code: PYTHON },
  { language: 'go', label: 'Go', code: GO },
  { language: 'shell', label: 'curl and openssl', code: SHELL },
] as const;
