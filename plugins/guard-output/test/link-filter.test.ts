import { describe, expect, test } from 'vitest'
import { filterLinks, LinkFilter } from '../src/loading/link-filter.ts'

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
  '[evil.example](https://evil.example/)',
  '[mail](mailto:a@b.example)',
  '<https://evil.example/a>',
  '<a@b.example>',
  '[ref]: /docs',
  '[ref]: https://known.example/x',
  '<details open>\n<summary>x</summary>\n</details><br/>',
  'Array<string>',
  'arr[i](a, b)',
  'Code:\n\n```html\n<img src="https://evil.example/x">\n![x](https://evil.example)\n```\n\nend',
  'x\n\n~~~\n<style>\n```\n~~~~\n',
  '[redacted:contact.email:0a1b2c3d]: https://evil.example',
  '',
]
const CHANGES: readonly (readonly [string, string])[] = [
  ['Map<string, number>', 'Map&lt;string, number>'],
  [
    '<pre><svg~~~> style="background:url(//evil.example/a)"',
    '<pre>&lt;svg~~~> style="background:url(//evil.example/a)"',
  ],
  [
    '<pre><svgs\\"<\\> style="background:url(//evil.example/a)"',
    '<pre>&lt;svgs\\"<\\> style="background:url(//evil.example/a)"',
  ],
  ['![x](https://evil.example/a.png)', '! [x (evil.example)](https://evil.example/a.png)'],
  ['![x][r]\n\n[r]: https://evil.example/a', '! [x][r]\n\n[r\\]: https://evil.example/a'],
  ['![x](//evil.example/a)', '! [x (evil.example)](//evil.example/a)'],
  ['![x](/\\evil.example/a)', '! [x\\](/\\evil.example/a)'],
  ['![a [b] c](/a.png)', '! [a [b] c](/a.png)'],
  ['![[secret.png]]', '! [[secret.png]]'],
  ['[here](https://evil.example/x)', '[here (evil.example)](https://evil.example/x)'],
  [
    '[https://known.example](https://evil.example/x)',
    '[https://known.example (evil.example)](https://evil.example/x)',
  ],
  ['[x](javascript:alert(1))', '[x\\](javascript:alert(1))'],
  ['[x](&#106;avascript:a)', '[x\\](&#106;avascript:a)'],
  ['[x](\n https:evil.example)', '[x (evil.example)](\n https:evil.example)'],
  ['<img src=https://evil.example/x>', '&lt;img src=https://evil.example/x>'],
  ['<IMG\nSRC="&#104;ttps://evil.example">', '&lt;IMG\nSRC="&#104;ttps://evil.example">'],
  ['<img/src=/a>', '&lt;img/src=/a>'],
  [
    '<p style="background:url(https://evil.example)">',
    '&lt;p style="background:url(https://evil.example)">',
  ],
  ['<script>', '&lt;script>'],
  ['<a href="https://evil.example">x</a>', '&lt;a href="https://evil.example">x</a>'],
  [
    '<pre><x-y style="background:url(//evil.example/a)"<b>',
    '<pre>&lt;x-y style="background:url(//evil.example/a)"<b>',
  ],
  ['<img src=https://evil.example/x ', '&lt;img src=https://evil.example/x '],
  ['<a title="<img src=//evil.example>">', '&lt;a title="&lt;img src=//evil.example>">'],
  ['<javascript:alert(1)>', '&lt;javascript:alert(1)>'],
  ['<div>\n```\n<img src=//evil.example>\n```\n', '<div>\n```\n&lt;img src=//evil.example>\n```\n'],
  [
    '<pre>\n\n```\n<img src=//evil.example>\n```\n',
    '<pre>\n\n```\n&lt;img src=//evil.example>\n```\n',
  ],
  [
    '1. x\n\n   ```\n<img src=//evil.example>\n   ```\n',
    '1. x\n\n   ```\n&lt;img src=//evil.example>\n   ```\n',
  ],
  ['x\n\n~~~\r~~~\r<img src=//evil.example>\n', 'x\n\n~~~\r~~~\r&lt;img src=//evil.example>\n'],
]

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
