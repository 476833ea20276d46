/** Tables of targets that must never be reached: addresses in every notation, names with their answers, other URLs. */

/** Ranges that IANA's registries exclude from public unicast, and special addresses of two clouds. */
export const REFUSED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** The same inside 2000::/3; nothing outside of it is allowed. 6to4 is evaluated by its IPv4 address. */
export const REFUSED_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

/** One address or more of every refused range outside 2000::/3, and the corners of those inside. */
export const REFUSED_V6_ADDRESSES = [
  '::',
  '::1',
  '::2',
  '::7f00:1',
  '::a00:1',
  '::ffff:7f00:1',
  '::ffff:808:808',
  '::ffff:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::808:808',
  '64:ff9b:1::a00:1',
  '100::1',
  '100:0:0:1::1',
  '200::1',
  '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:80ff:fffe',
  '2001:1::1',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db8::1',
  '2002::1',
  '2002:7f00:1::1',
  '2002:a00:1::',
  '2002:a9fe:a9fe::1',
  '2002:c0a8:101:1::1',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
  '4000::1',
  '5f00::1',
  '8000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  'fe00::1',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'febf::1',
  'fec0::1',
  'ff00::1',
  'ff02::1',
  'ff0e::1',
];

/** Loopback, private networks, and the addresses of cloud metadata services. */
export const REFUSED_V4_ADDRESSES = [
  '0.0.0.0',
  '0.0.0.1',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.0.0.2',
  '127.1.2.3',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];

/** Public addresses, which must be allowed. */
export const PUBLIC_ADDRESSES = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '100.63.255.255',
  '100.128.0.0',
  '172.32.0.1',
  '192.0.1.1',
  '223.255.255.255',
  '2001:200::1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2002:808:808::1',
];

const octetsOf = (address: string): number[] => address.split('.').map(Number);
const numberOf = (address: string): number => octetsOf(address).reduce((sum, octet) => sum * 256 + octet, 0);

/** Every way to write one part of an IPv4 address. */
export const RADICES: readonly ((part: number) => string)[] = [
  (part) => String(part),
  (part) => `0x${part.toString(16)}`,
  (part) => `0X${part.toString(16).toUpperCase()}`,
  (part) => `0${part.toString(8)}`,
  (part) => `0x0000${part.toString(16)}`,
  (part) => `0000${part.toString(8)}`,
];

/** The parts of an address written as four, three, two or one number, the last of which contains the remaining octets. */
export function partsOf(address: string, count: number): number[] {
  const octets = octetsOf(address);
  const tail = octets.slice(count - 1).reduce((sum, octet) => sum * 256 + octet, 0);
  return [...octets.slice(0, count - 1), tail];
}

const FULL_WIDTH = (text: string) => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const CIRCLED = (text: string) =>
  text.replace(/[0-9]/g, (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x2460 + Number(digit) - 1)));
const PERCENT = (text: string) => text.replace(/[0-9]/g, (digit) => `%3${digit}`);

/** Notations of an IPv4 address that the URL standard parses as that address. */
export function notationsOf(address: string): string[] {
  const plain = [4, 3, 2, 1].flatMap((count) => RADICES.map((write) => partsOf(address, count).map(write).join('.')));
  const mixed = octetsOf(address)
    .map((octet, index) => RADICES[index % 4]!(octet))
    .join('.');
  const disguised = [FULL_WIDTH(address), CIRCLED(address), PERCENT(address), address.replaceAll('.', '%2e')];
  const dots = ['\u3002', '\uff0e', '\uff61'].map((dot) => address.replaceAll('.', dot));
  return [...new Set([...plain, mixed, ...disguised, ...dots, `${address}.`, `${numberOf(address)}.`])];
}

/** IPv6 addresses that embed an IPv4 address, as hosts of a URL. */
export function embeddingsOf(address: string): string[] {
  const [a, b, c, d] = octetsOf(address) as [number, number, number, number];
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const flipped = `${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`;
  return [
    `[::ffff:${address}]`,
    `[::ffff:${hex}]`,
    `[0:0:0:0:0:FFFF:${hex}]`,
    `[::${address}]`,
    `[::ffff:0:${address}]`,
    `[2002:${hex}::1]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${hex}]`,
    `[2001:0:1234:5678:8000:1:${flipped}]`,
  ];
}

/** Hosts that are refused without resolving them. */
export const REFUSED_HOSTS = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  '%6c%6f%63%61%6c%68%6f%73%74',
  'ｌｏｃａｌｈｏｓｔ',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'a.localhost',
  'a.localhost.',
  'localhost.localdomain',
  'printer.local',
  'printer.local.',
  'metadata.google.internal',
  'METADATA.GOOGLE.INTERNAL',
  'vault.internal.',
  'nas.home.arpa',
  'home.arpa',
  'internal',
  'metadata',
  'intranet',
  'kubernetes',
  'ip6-localhost',
  'a..example.com',
  '.example.com',
  'exa!mple.com',
  `${'a'.repeat(64)}.example.com`,
  `${'abcdefgh.'.repeat(30)}example.com`,
  '[fe80::1%25eth0]',
  '[fe80::1%eth0]',
  '[::1%25lo]',
  '[::1',
  '::1',
  '[::1].example.com',
  '1.2.3.4.5',
  '256.0.0.1',
  '0x100000000',
  '127.0.0.1.0',
  '08.0.0.1',
];

/** Other URLs that are refused. Those with a loopback address would reach it if they were parsed wrongly. */
function refusedUrls(port: number): string[] {
  const here = `127.0.0.1:${port}`;
  return [
    ...['http', 'ftp', 'file', 'gopher', 'ws', 'wss', 'data', 'javascript', 'unix', 'dict', 'ldap', 'blob:https'].map(
      (scheme) => `${scheme}://hooks.example.com/`,
    ),
    ...['http', 'ftp', 'file', 'gopher', 'ws', 'unix', 'dict'].map((scheme) => `${scheme}://${here}/`),
    `https://user:secret@hooks.example.com/`,
    `https://user@hooks.example.com/`,
    `https://:secret@hooks.example.com/`,
    `https://@hooks.example.com/`,
    `https://hooks.example.com@${here}/`,
    `https://hooks.example.com:443@${here}/`,
    `https://${here}@hooks.example.com/`,
    `https://hooks.example.com%40${here}/`,
    `https://hooks.example.com\\@${here}/`,
    `https://${here}\\@hooks.example.com/`,
    `https:\\\\${here}\\`,
    `https:/${here}/`,
    `https:${here}/`,
    `https:///${here}/`,
    `//${here}/`,
    `/${here}/`,
    here,
    '',
    ' ',
    'https://',
    'https:///',
    'https://?',
    'https://#',
    ` https://${here}/`,
    `https://${here}/ `,
    `https://127.0.\t0.1:${port}/`,
    `https://127.0.\n0.1:${port}/`,
    `https://127.0.0.1\r\n:${port}/`,
    `ht\ntps://${here}/`,
    `https://hooks.example.com\u0000.evil.example.com/`,
    `https://hooks.exa mple.com/`,
    `https://hooks.example.com/\u007f`,
    `https://hooks.example.com/a b`,
    `https://hooks.example.com/${'a'.repeat(2_048)}`,
    `https://hooks.example.com/${'ü'.repeat(1_000)}`,
    ...[0, 1, 21, 22, 25, 53, 80, 110, 143, 389, 445, 465, 587, 636, 993, 1023, 2049, 6000, 6667, 10080, 65536].map(
      (wrong) => `https://hooks.example.com:${wrong}/`,
    ),
    'https://hooks.example.com:-1/',
    'https://hooks.example.com:4a3/',
  ];
}

export const asUrls = (hosts: readonly string[], port: number): string[] =>
  hosts.map((host) => `https://${host}:${port}/hook`);

/** Every URL that is refused without resolving its host. */
export function hostileUrls(port: number): string[] {
  return [
    ...asUrls(REFUSED_V4_ADDRESSES.flatMap(notationsOf), port),
    ...asUrls(REFUSED_V4_ADDRESSES.flatMap(embeddingsOf), port),
    ...asUrls(
      REFUSED_V6_ADDRESSES.map((address) => `[${address}]`),
      port,
    ),
    ...asUrls(REFUSED_HOSTS, port),
    ...refusedUrls(port),
  ];
}

/** Answers of a tenant's name server that must not lead to a connection, alone or beside public addresses. */
export const HOSTILE_ANSWERS: readonly (readonly string[])[] = [
  ...[...REFUSED_V4_ADDRESSES, ...REFUSED_V6_ADDRESSES].flatMap((address) => [
    [address],
    ['93.184.215.14', address],
    [address, '2606:4700:4700::1111', '93.184.215.14'],
  ]),
  [...Array.from({ length: 40 }, (_, index) => `93.184.215.${index}`), '127.0.0.1'],
  ['fe80::1%eth0'],
  ['2606:4700:4700::1111%eth0'],
  ['0x7f.1'],
  ['2130706433'],
  ['0177.0.0.1'],
  ['127.1'],
  ['localhost'],
  [''],
];
