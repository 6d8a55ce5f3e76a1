/**
 * Texts of one kind each and of any length, as replies have them and as they are made to be slow.
 */
const words = [
  'alpha',
  'beta',
  'invoice',
  'of',
  'the',
  'contact',
  'was',
  'sent',
  'on',
  'Monday',
  'to',
  'Ghent',
  'and',
  'it',
  'is',
  'paid.',
]

/**
 * Numbers that look drawn, the same ones each time (a linear congruential generator, Numerical
 * Recipes).
 */
function* drawn(): Generator<number> {
  for (let state = 4_711; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    yield state
  }
}

function filled(length: number, part: (random: number, n: number) => string): string {
  let text = ''
  let n = 0
  for (const random of drawn()) {
    text += part(random, n++)
    if (text.length >= length) break
  }
  return text.slice(0, length)
}

const two = (value: number): string => String(value).padStart(2, '0')
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  words: (length) => filled(length, (random) => `${words[(random >>> 8) % words.length] ?? ''} `),
  digits: (length) => filled(length, (random) => String((random >>> 8) % 10)),
  'digits with dashes': (length) => filled(length, (random) => `${(random >>> 8) % 10}-`),
  dates: (length) =>
    filled(
      length,
      (random) =>
        `20${two((random >>> 8) % 30)}-${two(((random >>> 12) % 12) + 1)}-${two(((random >>> 16) % 28) + 1)} `,
    ),
  addresses: (length) =>
    filled(
      length,
      (random, n) =>
        `https://host${n % 40}.example/docs/${(random >>> 8) % 100_000}?page=${n % 9} `,
    ),
  'addresses without spaces': (length) =>
    filled(length, (random) => `https://host.example/${(random >>> 8) % 1_000},`),
  base64: (length) => filled(length, (random) => BASE64.charAt((random >>> 8) % 64)),
  'base64 of text': (length) =>
    Buffer.from(filled(length, (random) => `${words[(random >>> 8) % words.length] ?? ''} `))
      .toString('base64')
      .slice(0, length),
  'random bytes': (length) => filled(length, (random) => String.fromCharCode((random >>> 8) % 256)),
  hexadecimal: (length) => filled(length, (random) => (random >>> 8).toString(16)),
  brackets: (length) => '['.repeat(length),
  tags: (length) => '<img '.repeat(length / 5),
  accounts: (length) => filled(length, (random) => `account ${10_000_000 + (random >>> 8)} `),
  cards: (length) => '4111 1111 1111 1111 '.repeat(length / 20),
  escapes: (length) =>
    filled(
      length,
      (random) =>
        `%${(random >>> 8).toString(16).slice(0, 2).padStart(2, '0')}&#${(random >>> 12) % 128};\\u00${two(((random >>> 16) % 80) + 20)}`,
    ),
  'escapes of escapes': (length) => '%25252525&amp;amp;'.repeat(length / 18),
  'quoted-printable': (length) =>
    filled(length, (random) => `=${(97 + ((random >>> 8) % 26)).toString(16).toUpperCase()}`),
  'base64 in groups': (length) =>
    filled(length, (random, n) => `${BASE64.charAt((random >>> 8) % 64)}${n % 4 === 3 ? ' ' : ''}`),
  'base64 of base64 of text': (length) =>
    Buffer.from(
      Buffer.from(
        filled(length, (random) => `${words[(random >>> 8) % words.length] ?? ''} `),
      ).toString('base64'),
    )
      .toString('base64')
      .slice(0, length),
  'hexadecimal in pairs': (length) =>
    filled(length, (random) => `0x${two(((random >>> 8) % 80) + 20)}, `),
  'look-alikes': (length) =>
    filled(length, (random) => String.fromCharCode(0x400 + ((random >>> 8) % 96))),
  'styled characters': (length) =>
    filled(length, (random) => String.fromCodePoint(0x1d400 + ((random >>> 8) % 512))),
  'emphasised digits': (length) => filled(length, (random) => `**${(random >>> 8) % 10}**`),
  'tags between characters': (length) =>
    filled(length, (random) => `<b>${String.fromCharCode(97 + ((random >>> 8) % 26))}</b>`),
  'tags that never end': (length) => '<b '.repeat(length / 3),
  'a value': (length) => 'CUS GV33 61RT, '.repeat(length / 15),
}
