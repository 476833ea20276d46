/** Texts that must be shown as text: markup, scripts, templates, marks of direction, long ones. */

/** What runs sets `window.hit`. */
const SCRIPT = 'window.hit=1';
const TAGS = [
  'img src=x onerror',
  'svg onload',
  'body onload',
  'video src=x onerror',
  'details open ontoggle',
  'input autofocus onfocus',
];
const WRAPPED = [
  (text: string) => text,
  (text: string) => `">${text}`,
  (text: string) => `'>${text}`,
  (text: string) => `</td></tr></table>${text}`,
  (text: string) => `</script>${text}<script>`,
  (text: string) => `<!--${text}-->`,
  (text: string) => `&lt;${text}&gt;`,
  (text: string) => `\u0000${text}`,
  (text: string) => encodeURIComponent(text),
];
const PAYLOADS = [
  ...TAGS.map((tag) => `<${tag}="${SCRIPT}">`),
  `<script>${SCRIPT}</script>`,
  `<ScRiPt src=data:text/javascript,${SCRIPT}></sCrIpT>`,
  `<iframe srcdoc="<script>parent.${SCRIPT}</script>">`,
  `<a href="javascript:${SCRIPT}">x</a>`,
  `<math><mi//xlink:href="data:x,<script>${SCRIPT}</script>">`,
  `<style>@import "javascript:${SCRIPT}"</style>`,
  `<base href="javascript:${SCRIPT}//">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${SCRIPT}">`,
  `javascript:${SCRIPT}//'`,
  `{{constructor.constructor("${SCRIPT}")()}}`,
  `\${${SCRIPT}}`,
  `'-${SCRIPT}-'`,
];
/** Marks that change the direction of text, or stand for nothing; alone, around words and left open. */
const MARKS = [
  '\u202A',
  '\u202B',
  '\u202D',
  '\u202E',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u200E',
  '\u200F',
  '\u061C',
  '\u200B',
  '\uFEFF',
];
const LONG = 10_000;
const SIZES = [200, 1_000, LONG];

export const HOSTILE_STRINGS: readonly string[] = [
  ...PAYLOADS.flatMap((payload) => WRAPPED.map((wrap) => wrap(payload))),
  ...MARKS.flatMap((mark) => [mark, `${mark}right to left`]),
  ...SIZES.flatMap((size) => ['W'.repeat(size), '\u202E'.repeat(size), '<b>'.repeat(size / 3), '\u0301'.repeat(size)]),
  'اختبار שלום नमस्ते 测试 🧪',
  '__proto__',
];
