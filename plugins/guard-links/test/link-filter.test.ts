import { describe, expect, test } from 'vitest'
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { Marked } from 'marked'
import { filterLinks, LinkFilter } from '../src/index.ts'
import { FORMS } from './forms.ts'

const policy = {
  loads: (host: string) => host === 'pics.example',
  knows: (host: string) => host === 'known.example' || host === 'pics.example',
}
const filter = (text: string): string => filterLinks(text, policy)

const STAYS = [
  'Wow! [1] and a <b and c> d, 3 < 4, x <- y, [note]: see below',
  '![chart](/pages/chart.png)',
  '![a](https://pics.example/a.png "it")',
  '<img src="/a.png" alt="a" width=3>',
  '<img src=https://pics.example/a.png>',
  '[docs](https://known.example/a?b=c&d=e)',
  '[mail](mailto:a@b.example)',
  '<a@b.example>',
  '[ref]: /docs',
  '[ref]: https://known.example/x',
  '<details open>\n<summary>x</summary>\n</details><br/>',
  'Array<string>',
  'arr[i](a, b)',
  'Code:\n\n```html\n<img src="https://evil.example/x">\n![x](https://evil.example)\n```\n\nend',
  'x\n\n~~~\n<style>\n```\n~~~~\n',
  '[redacted:contact.email:0a1b2c3d]: https://known.example',
  '',
]
const CHANGES: readonly (readonly [string, string])[] = [
  ['[evil.example](https://evil.example/)', 'evil.example'],
  ['<https://evil.example/a?d=1>', 'evil.example'],
  ['see https://evil.example/a?d=1, and', 'see evil.example, and'],
  [
    '![x][r]\n\n[r]: https://evil.example/a "t"\nAfter.',
    '! [x][r]\n\n[r\\]: evil.example "t"\nAfter.',
  ],
  ['Map<string, number>', 'Map&lt;string, number>'],
  [
    '<pre><svg~~~> style="background:url(//evil.example/a)"',
    '<pre>&lt;svg~~~> style="background:url(evil.example)"',
  ],
  [
    '<pre><svgs\\"<\\> style="background:url(//evil.example/a)"',
    '<pre>&lt;svgs\\"<\\> style="background:url(evil.example)"',
  ],
  ['![x](https://evil.example/a.png)', '! x (evil.example)'],
  ['![x][r]\n\n[r]: https://evil.example/a', '! [x][r]\n\n[r\\]: evil.example'],
  ['![x](//evil.example/a)', '! x (evil.example)'],
  ['![x](/\\evil.example/a)', '! [x\\](/\\evil.example/a)'],
  ['![a [b] c](/a.png)', '! [a [b] c](/a.png)'],
  ['![[secret.png]]', '! [[secret.png]]'],
  ['[here](https://evil.example/x)', 'here (evil.example)'],
  ['[https://known.example](https://evil.example/x)', 'https://known.example (evil.example)'],
  ['[x](javascript:alert(1))', '[x\\](javascript:alert(1))'],
  ['[x](&#106;avascript:a)', '[x\\](&#106;avascript:a)'],
  ['[x](\n https:evil.example)', '[x\\] (evil.example))'],
  ['<img src=https://evil.example/x>', '&lt;img src=evil.example>'],
  ['<IMG\nSRC="&#104;ttps://evil.example">', '&lt;IMG\nSRC="&#104;ttps://evil.example">'],
  ['<img/src=/a>', '&lt;img/src=/a>'],
  [
    '<p style="background:url(https://evil.example)">',
    '&lt;p style="background:url(evil.example)">',
  ],
  ['<script>', '&lt;script>'],
  ['<a href="https://evil.example">x</a>', '&lt;a href="evil.example">x</a>'],
  [
    '<pre><x-y style="background:url(//evil.example/a)"<b>',
    '<pre>&lt;x-y style="background:url(evil.example)"<b>',
  ],
  ['<img src=https://evil.example/x ', '&lt;img src=evil.example '],
  ['<a title="<img src=//evil.example>">', '&lt;a title="&lt;img src=evil.example>">'],
  ['<javascript:alert(1)>', '&lt;javascript:alert(1)>'],
  ['<div>\n```\n<img src=//evil.example>\n```\n', '<div>\n```\n&lt;img src=evil.example>\n```\n'],
  [
    '<pre>\n\n```\n<img src=//evil.example>\n```\n',
    '<pre>\n\n```\n&lt;img src=evil.example>\n```\n',
  ],
  [
    '1. x\n\n   ```\n<img src=//evil.example>\n   ```\n',
    '1. x\n\n   ```\n&lt;img src=evil.example>\n   ```\n',
  ],
  ['x\n\n~~~\r~~~\r<img src=//evil.example>\n', 'x\n\n~~~\r~~~\r&lt;img src=evil.example>\n'],
]

const READERS: Readonly<Record<string, (text: string) => string>> = {
  marked: (text) => new Marked({ gfm: true }).parse(text, { async: false }),
  'markdown-it': (text) => new MarkdownIt({ html: true, linkify: true }).render(text),
}

/** Attributes of a page that make a browser turn to the host, by itself or by a click. */
function leadingOut(html: string): readonly string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => {
      for (const [key, value] of Object.entries(attributes)) {
        const host = URL.parse(value, 'https://own.example/')?.hostname
        if (
          host === 'evil.example' ||
          (/^(?:style|srcset|srcdoc)$/.test(key) && /evil/.test(value))
        )
          found.push(`${name} ${key}=${value}`)
      }
    },
  })
  parser.write(html)
  parser.end()
  return found
}

describe('what a client would load', () => {
  test.each(STAYS)('is not in %j', (text) => {
    expect(filter(text)).toBe(text)
  })
  test.each(CHANGES)('is taken out of %j', (text, clean) => {
    expect(filter(text)).toBe(clean)
  })

  test('is the same in pieces of any size, and when it is looked at twice', () => {
    for (const text of [...STAYS, ...CHANGES.map(([own]) => own)].flatMap((one) => [
      one,
      `Before. ${one} <b>after</b>.`,
    ])) {
      expect(filter(filter(text)), text).toBe(filter(text))
      for (const size of [1, 2, 3, 7]) {
        const stream = new LinkFilter(policy)
        let out = ''
        for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size))
        expect(out + stream.flush(), `${text} by ${size}`).toBe(filter(text))
      }
    }
  })

  test('is held back for no longer than it takes to know', () => {
    const held = (text: string): number => {
      const stream = new LinkFilter(policy)
      return text.length - [...text].reduce((out, sign) => out + stream.push(sign).length, 0)
    }
    expect(
      ['all said', 'x ![y](/z) ', 'Wow! ', 'a < b ', '[x](/y) ', 'Array<string> '].map(held),
    ).toEqual([0, 0, 0, 0, 0, 0])
    expect(held('if (i<n) and so on')).toBeLessThan(1)
    expect(held(`<a ${'title='.repeat(2_000)}`)).toBeLessThan(1_100)
    expect(held(`![${'x'.repeat(5_000)}`)).toBeLessThan(1)
  })

  test.each(Object.entries(READERS))('is in no form that %s reads', (_name, render) => {
    for (const form of FORMS) {
      const text = `Here:\n\n${form.replaceAll('HOST', 'evil.example')}\n\nafter`
      const clean = filterLinks(text, { loads: () => false, knows: () => false })
      expect(leadingOut(render(clean)), `${text}\n→ ${clean}`).toEqual([])
      expect(clean).toMatch(/after$/)
    }
  })

  test.each([
    '](https://e.example/a',
    '](',
    '<a ',
    '<a x="',
    "<img src='",
    '![',
    '![x](a',
    '![x](/a "',
    '`',
    '~~~\n\n',
    '!',
    '<',
    ']: ',
    '\\]',
    '[x](<',
    '\n\n```\n<img>\n```\n',
    '<!',
    '<b>',
  ])('takes no longer for many of %j', { tags: 'speed' }, (part) => {
    const text = part.repeat(Math.ceil(300_000 / part.length))
    const began = process.threadCpuUsage()
    filter(text)
    const stream = new LinkFilter(policy)
    for (let at = 0; at < text.length; at += 12) stream.push(text.slice(at, at + 12))
    stream.flush()
    expect(process.threadCpuUsage(began).user).toBeLessThan(5_000_000) // µs
  })
})
