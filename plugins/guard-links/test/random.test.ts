import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { Marked } from 'marked'
import { expect, test } from 'vitest'
import { filterLinks, LinkFilter } from '../src/index.ts'

const RUNS = 3_000
const nobody = { loads: () => false, knows: () => false }

/** What Markdown and HTML are made of. */
const PARTS = [
  '![',
  '[',
  ']',
  '](',
  ')',
  '(',
  '<img src=',
  '<img ',
  'src="',
  '"',
  "'",
  '>',
  '<',
  '//evil.example/a',
  'https://evil.example/a',
  '\n',
  '\n\n',
  '```',
  '```html\n',
  '~~~',
  '`',
  '``',
  ' ',
  '  ',
  '    ',
  '\t',
  '- ',
  '1. ',
  '> ',
  '<div>',
  '</div>',
  '<pre>',
  '</pre>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '<x-y ',
  'style="background:url(//evil.example/a)"',
  '[r]: ',
  '[r]',
  '![r]',
  '\\',
  '&lt;',
  '&#104;',
  '<a href="',
  '</a>',
  '<p ',
  'a',
  '*',
  '**',
  '|',
  '---',
  '\r',
  '\r\n',
  '<details>',
  '<summary>',
  '/',
  '=',
  '<svg',
  '<style>',
  '<script>',
  '<iframe src=',
  '<IMG\n',
  '!',
  '<b>',
  '<table>',
  '<td ',
  'background=',
  '<!DOCTYPE ',
  '<code>',
  '</code>',
  '$$',
  '~',
  '<http://evil.example/a>',
  '<!-- x -->',
  '\u00a0',
  '\f',
  '\v',
  '\u2028',
]
const texts = fc
  .array(fc.constantFrom(...PARTS), { minLength: 2, maxLength: 20 })
  .map((parts) => `x${parts.join('')}`)

const NEVER: ReadonlySet<string> = new Set([
  'script',
  'style',
  'iframe',
  'object',
  'embed',
  'link',
  'meta',
  'base',
])
const ADDRESSES: ReadonlySet<string> = new Set(['src', 'poster', 'data', 'background'])
const marked = new Marked({ gfm: true })
const markdownIt = new MarkdownIt({ html: true, linkify: true })
const READERS: Readonly<Record<string, (text: string) => string>> = {
  marked: (text) => marked.parse(text, { async: false }),
  'markdown-it': (text) => markdownIt.render(text),
}

/** What of a page a browser loads from the host, or runs. */
function loadedBy(html: string): readonly string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (NEVER.has(name)) found.push(name)
      for (const [key, value] of Object.entries(attributes)) {
        const loads = ADDRESSES.has(key)
          ? URL.parse(value, 'https://own.example/')?.hostname === 'evil.example'
          : (key === 'style' || key === 'srcset') && value.includes('evil')
        if (loads) found.push(`${name} ${key}=${value}`)
      }
    },
  })
  parser.write(html)
  parser.end()
  return found
}

/** ms: all of them take minutes where the machine has much else to do. */
const TIMEOUT = 20 * 60_000

test(
  'whatever a text is put together from, no reader loads anything',
  () => {
    let loading = 0
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const clean = filterLinks(text, nobody)
        const stream = new LinkFilter(nobody)
        let streamed = ''
        for (let at = 0; at < text.length; at += size)
          streamed += stream.push(text.slice(at, at + size))
        expect(streamed + stream.flush()).toBe(clean)
        for (const [reader, render] of Object.entries(READERS)) {
          if (loadedBy(render(text)).length > 0) loading++
          expect(loadedBy(render(clean)), `${reader}: ${clean}`).toEqual([])
        }
      }),
      { numRuns: RUNS },
    )
    expect(loading, 'texts that do load something as they are').toBeGreaterThan(RUNS / 20)
  },
  TIMEOUT,
)
