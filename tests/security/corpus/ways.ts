/** A way to write a text so that a plain search does not find it. */
export type Way = (text: string) => string

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')
const each = (text: string, change: (char: string, index: number) => string): string =>
  [...text].map(change).join('')
const groups = (text: string, size: number, joint: string): string =>
  text.replaceAll(new RegExp(`.{${size}}(?=.)`, 'gsu'), (part) => part + joint)
const spelled =
  (joint: string): Way =>
  (text) =>
    [...text].join(joint)
const shifted =
  (capital: number, small: number, digit?: number): Way =>
  (text) =>
    each(text, (char) => {
      const code = char.charCodeAt(0)
      if (/[A-Z]/.test(char)) return String.fromCodePoint(capital + code - 65)
      if (/[a-z]/.test(char)) return String.fromCodePoint(small + code - 97)
      return /\d/.test(char) && digit !== undefined ? String.fromCodePoint(digit + code - 48) : char
    })
const swapped =
  (table: Readonly<Record<string, string>>): Way =>
  (text) =>
    each(text, (char) => table[char] ?? char)
const table = (latin: string, others: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...latin].map((char, at) => [char, [...others][at] ?? char]))

const hexOf = (text: string): readonly string[] =>
  [...bytes(text)].map((byte) => byte.toString(16).padStart(2, '0'))
const base64: Way = (text) => bytes(text).toString('base64')
const base64url: Way = (text) => bytes(text).toString('base64url')
const hex: Way = (text) => bytes(text).toString('hex')
const url: Way = (text) =>
  hexOf(text)
    .map((pair) => `%${pair.toUpperCase()}`)
    .join('')
const decimalEntities: Way = (text) => each(text, (char) => `&#${char.codePointAt(0)};`)
const hexEntities: Way = (text) => each(text, (char) => `&#x${char.codePointAt(0)?.toString(16)};`)
const quotedPrintable: Way = (text) =>
  hexOf(text)
    .map((pair) => `=${pair.toUpperCase()}`)
    .join('')
const escapes: Way = (text) =>
  each(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const reversed: Way = (text) => [...text].reverse().join('')
const wide = (text: string, big: boolean): Buffer => {
  const own = Buffer.from(text, 'utf16le')
  return big ? own.swap16() : own
}

/** RFC 4648, section 6. */
const base32: Way = (text) => {
  let [out, held, bits] = ['', 0, 0]
  for (const byte of bytes(text)) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5)
      out += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt((held >> (bits - 5)) & 31)
    held &= 31
  }
  if (bits > 0) out += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt((held << (5 - bits)) & 31)
  return out.padEnd(Math.ceil(out.length / 8) * 8, '=')
}

const CYRILLIC = table(
  'aceopxysijABCEHKMOPTX',
  '\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0455\u0456\u0458\u0410\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425',
)
const GREEK = table(
  'ovABEZHIKMNOPTYX',
  '\u03bf\u03bd\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7',
)
const RARE = table(
  'acdeghijlmnoprsuvwyzBCDEGHIJKLMPRSTVWZ',
  '\u0251\u1d04\u0501\u212f\u0261\u04bb\u0456\u03f3\u04cf\uff4d\u0578\u1d0f\u0440\ua4e3\u0455\u057d\u1d20\u051d\u04af\u1d22\u13f4\u03f9\u13a0\u13ac\u13c0\u13bb\u2160\u0408\u13e6\u13de\u13b7\u13e2\u13a1\u0405\u13a2\u13d9\u051c\u13c3',
)
const SMALL_CAPITALS = table(
  'abcdefghijklmnopqrstuvwyz',
  '\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\u01eb\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22',
)

/** One way each; combinations of them stand below. */
export const SINGLE: Readonly<Record<string, Way>> = {
  'upper case': (text) => text.toUpperCase(),
  'lower case': (text) => text.toLowerCase(),
  'alternating case': (text) =>
    each(text, (char, at) => (at % 2 === 0 ? char.toLowerCase() : char.toUpperCase())),
  'spaces between': spelled(' '),
  'two spaces between': spelled('  '),
  'dots between': spelled('.'),
  'hyphens between': spelled('-'),
  'hyphens with spaces between': spelled(' - '),
  'commas between': spelled(', '),
  'slashes between': spelled(' / '),
  'bars between': spelled(' | '),
  'emoji between': spelled('\ud83d\ude00'),
  'line ends between': spelled('\n'),
  'arrows between': spelled(' \u2192 '),
  'quotes and commas between': (text) =>
    `[${[...text].map((char) => JSON.stringify(char)).join(', ')}]`,
  'signs in turn between': (text) => each(text, (char, at) => char + '.-_ '.charAt(at % 4)),
  'bold characters': (text) => each(text, (char) => `**${char}**`),
  'bold and italic in turn': (text) =>
    each(text, (char, at) => (at % 2 === 0 ? `**${char}**` : `_${char}_`)),
  'code characters': (text) => [...text].map((char) => `\`${char}\``).join(' '),
  'tags around characters': (text) => each(text, (char) => `<b>${char}</b>`),
  'tags with attributes around characters': (text) =>
    each(text, (char) => `<span class="x y">${char}</span>`),
  'empty tags between': spelled('<br/>'),
  'comments between': spelled('<!-- x -->'),
  'tags around pairs': (text) => text.replaceAll(/..?/gsu, (pair) => `<i>${pair}</i>`),
  'square tags': (text) => each(text, (char) => `[b]${char}[/b]`),
  'zero-width spaces': spelled('\u200b'),
  'joiners and non-joiners': (text) =>
    each(text, (char, at) => char + (at % 2 === 0 ? '\u200d' : '\u200c')),
  'soft hyphens': spelled('\u00ad'),
  'word joiners': spelled('\u2060'),
  'variation selectors': spelled('\ufe0f'),
  'supplementary variation selectors': spelled('\u{e0101}'),
  'tag characters between': spelled('\u{e0041}'),
  'Hangul fillers': spelled('\u3164'),
  'grapheme joiners': spelled('\u034f'),
  'Mongolian vowel separators': spelled('\u180e'),
  'invisible operators': spelled('\u2063'),
  'combining marks': spelled('\u0336'),
  'direction marks': (text) => `\u202d${[...text].join('\u200e')}\u202c`,
  'full-width': (text) =>
    each(text, (char) =>
      /[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char,
    ),
  'mathematical bold': shifted(0x1d400, 0x1d41a, 0x1d7ce),
  'mathematical bold script': shifted(0x1d4d0, 0x1d4ea),
  'mathematical bold fraktur': shifted(0x1d56c, 0x1d586),
  'mathematical sans': shifted(0x1d5a0, 0x1d5ba, 0x1d7e2),
  'mathematical monospace': shifted(0x1d670, 0x1d68a, 0x1d7f6),
  circled: (text) =>
    each(shifted(0x24b6, 0x24d0)(text), (char) =>
      /[1-9]/.test(char)
        ? String.fromCodePoint(0x2460 + Number(char) - 1)
        : char === '0'
          ? '\u24ea'
          : char,
    ),
  'negative circled': (text) => shifted(0x1f150, 0x1f150)(text),
  squared: (text) => shifted(0x1f130, 0x1f130)(text),
  'regional indicators': (text) => [...shifted(0x1f1e6, 0x1f1e6)(text)].join('\u200c'),
  'keycap digits': (text) => text.replaceAll(/\d/g, '$&\ufe0f\u20e3'),
  'Arabic digits': shifted(65, 97, 0x660),
  'Devanagari digits': shifted(65, 97, 0x966),
  'superscript digits': swapped(
    table('0123456789', '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'),
  ),
  'Cyrillic look-alikes': swapped(CYRILLIC),
  'Greek look-alikes': swapped(GREEK),
  'rare look-alikes': swapped(RARE),
  'small capitals': (text) => swapped(SMALL_CAPITALS)(text.toLowerCase()),
  'invisible tag characters': (text) =>
    each(text, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))),
  base64,
  base64url,
  'base64 without padding': (text) => base64(text).replaceAll('=', ''),
  'base64, spaced by four': (text) => groups(base64(text), 4, ' '),
  'base64, spaced by one': (text) => groups(base64(text), 1, ' '),
  'base64, hyphens by four': (text) => groups(base64(text), 4, '-'),
  'base64, dots by two': (text) => groups(base64(text), 2, '.'),
  'base64, underscores by three': (text) => groups(base64(text), 3, '_'),
  'base64 in lines of six': (text) => groups(base64(text), 6, '\n'),
  'base64 in quoted lines': (text) => groups(base64(text), 8, '\n> '),
  'base64 in cells': (text) => groups(base64(text), 4, ' | '),
  'base64 in items': (text) => `- ${groups(base64(text), 5, '\n- ')}`,
  'base64 in numbered items': (text) =>
    groups(base64(text), 5, '\n')
      .split('\n')
      .map((part, at) => `${at + 1}. ${part}`)
      .join('\n'),
  'base64 with zero-width spaces': (text) => groups(base64(text), 1, '\u200b'),
  'base64 in tags': (text) => groups(base64(text), 3, '<br>'),
  'base64 in a data address': (text) => `data:text/plain;base64,${base64(text)}`,
  'base64 of UTF-16': (text) => wide(text, false).toString('base64'),
  'base64 of UTF-16, big end first': (text) => wide(text, true).toString('base64'),
  'base64 in a sentence of itself': (text) => base64(`As you asked, it is ${text} and no other.`),
  base32,
  'base32, small letters': (text) => base32(text).toLowerCase(),
  'base32 without padding': (text) => base32(text).replaceAll('=', ''),
  'base32, spaced by four': (text) => groups(base32(text), 4, ' '),
  'base32, hyphens by five': (text) => groups(base32(text), 5, '-'),
  'base32 in lines': (text) => groups(base32(text), 8, '\n'),
  hex,
  'hex in capitals': (text) => hex(text).toUpperCase(),
  'hex, spaced': (text) => hexOf(text).join(' '),
  'hex with colons': (text) => hexOf(text).join(':'),
  'hex with hyphens': (text) => hexOf(text).join('-'),
  'hex with commas': (text) => hexOf(text).join(', '),
  'hex with 0x': (text) =>
    hexOf(text)
      .map((pair) => `0x${pair}`)
      .join(', '),
  'hex with 0x, spaced': (text) =>
    hexOf(text)
      .map((pair) => `0x${pair.toUpperCase()}`)
      .join(' '),
  'hex with one 0x': (text) => `0x${hex(text)}`,
  'hex with \\x': (text) =>
    hexOf(text)
      .map((pair) => `\\x${pair}`)
      .join(''),
  'hex by fours': (text) => groups(hex(text), 4, ' '),
  'hex digit by digit': (text) => groups(hex(text), 1, ' '),
  'hex in lines': (text) => hexOf(text).join('\n'),
  'hex in cells': (text) => `| ${hexOf(text).join(' | ')} |`,
  'hex with U+': (text) =>
    [...text]
      .map((char) => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
      .join(' '),
  'hex of UTF-16': (text) => wide(text, true).toString('hex'),
  url,
  'url in part': (text) =>
    each(text, (char, at) => (at % 2 === 0 ? `%${char.charCodeAt(0).toString(16)}` : char)),
  'url twice': (text) => url(url(text)),
  '%u escapes': (text) =>
    each(text, (char) => `%u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'decimal entities': decimalEntities,
  'hexadecimal entities': hexEntities,
  'entities without a semicolon': (text) => each(text, (char) => `&#${char.charCodeAt(0)}`),
  'entities with zeros': (text) =>
    each(text, (char) => `&#x${char.charCodeAt(0).toString(16).padStart(6, '0')};`),
  'entities of entities': (text) => decimalEntities(text).replaceAll('&', '&amp;'),
  'invisible entities between': spelled('&zwnj;'),
  'named entities': (text) =>
    text.replaceAll(
      /[-.@_ ]/g,
      (char) =>
        ({ '-': '&dash;', '.': '&period;', '@': '&commat;', _: '&lowbar;', ' ': '&ensp;' })[char] ??
        char,
    ),
  'quoted-printable': quotedPrintable,
  'quoted-printable in part': (text) =>
    each(text, (char, at) =>
      at % 3 === 1 ? `=${char.charCodeAt(0).toString(16).toUpperCase()}` : char,
    ),
  'quoted-printable with soft line ends': (text) => groups(quotedPrintable(text), 9, '=\n'),
  'soft line ends alone': (text) => groups(text, 4, '=\n'),
  'UTF-16 escapes': escapes,
  'UTF-16 escapes in part': (text) =>
    each(text, (char, at) =>
      at % 2 === 1 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char,
    ),
  'escapes in braces': (text) => each(text, (char) => `\\u{${char.charCodeAt(0).toString(16)}}`),
  'long escapes': (text) =>
    each(text, (char) => `\\U${char.charCodeAt(0).toString(16).padStart(8, '0')}`),
  'octal escapes': (text) =>
    each(text, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`),
  'decimal codes': (text) => [...bytes(text)].join(' '),
  'decimal codes with commas': (text) => `[${[...bytes(text)].join(', ')}]`,
  binary: (text) => [...bytes(text)].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  reversed,
  'reversed, spelled': (text) => [...text].reverse().join(' '),
  'in halves over lines': (text) => groups(text, 5, '\n'),
  'in cells of a row': (text) => `| ${groups(text, 4, ' | ')} |`,
  'in cells of rows': (text) => `| ${groups(text, 4, ' |\n| ')} |`,
  'in items': (text) => `- ${groups(text, 3, '\n- ')}`,
  'in starred items': (text) => `* ${groups(text, 4, '\n* ')}`,
  'in numbered items': (text) =>
    groups(text, 4, '\n')
      .split('\n')
      .map((part, at) => `${at + 1}. ${part}`)
      .join('\n'),
  'in quoted lines': (text) => groups(text, 4, '\n> '),
  'joined in code': (text) => groups(text, 4, '" + "').replace(/^|$/g, '"'),
  'base64 of hex': (text) => base64(hex(text)),
  'hex of base64': (text) => hex(base64(text)),
  'base64 of url': (text) => base64(url(text)),
  'url of base64': (text) => url(base64(text)),
  'base64 of base32': (text) => base64(base32(text)),
  'base32 of hex': (text) => base32(hex(text)),
  'hex of url': (text) => hex(url(text)),
  'base64 of hex of url': (text) => base64(hex(url(text))),
  'url of base64 of hex': (text) => url(base64(hex(text))),
  'base64 three times': (text) => base64(base64(base64(text))),
  'hex of base64 of entities': (text) => hex(base64(decimalEntities(text))),
  'entities of base64': (text) => decimalEntities(base64(text)),
  'escapes of base64': (text) => escapes(base64(text)),
  'quoted-printable of base64 of hex': (text) => quotedPrintable(base64(hex(text))),
  'base64 of escapes': (text) => base64(escapes(text)),
  'base64 of the reverse': (text) => base64(reversed(text)),
  'base64 in reverse': (text) => reversed(base64(text)),
  'hex in reverse': (text) => reversed(hex(text)),
  'base64 of spelled': (text) => base64(spelled(' ')(text)),
  'base64 of tags': (text) => base64(each(text, (char) => `<b>${char}</b>`)),
  'base64 of full-width': (text) =>
    base64(
      each(text, (char) =>
        /[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char,
      ),
    ),
  'base64 of hex, spaced': (text) => groups(base64(hex(text)), 4, ' '),
  'hex of base64, spaced': (text) => hexOf(base64(text)).join(' '),
  'upper case with zero-width spaces': (text) => spelled('\u200b')(text.toUpperCase()),
  'Cyrillic, spelled': (text) => spelled(' ')(swapped(CYRILLIC)(text)),
  'mathematical, hyphens between': (text) => spelled('-')(shifted(0x1d400, 0x1d41a, 0x1d7ce)(text)),
  'full-width base64': (text) =>
    each(base64(text), (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  'reversed, base64, spaced': (text) => groups(base64(reversed(text)), 4, ' '),
}

/** Split in two, so that what is built with one is judged by the other. */
export const halves = (): readonly [readonly string[], readonly string[]] => {
  const names = Object.keys(SINGLE).sort((one, other) => hashOf(one) - hashOf(other))
  return [names.filter((_, at) => at % 2 === 0), names.filter((_, at) => at % 2 === 1)]
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
