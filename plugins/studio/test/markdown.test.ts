import { Markdown as SharedMarkdown } from '@amodal/react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Markdown } from '../ui/parts/markdown.tsx'

const LINKS =
  '[web](https://example.com/a) [mail](mailto:ann@example.com) [near](notes.md) [root](/health) [host](//evil.example) [hash](#top) [script](javascript:alert(1)) ![picture](pump.png)'

const addresses = (html: string): readonly string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, address = '']) => address)

test('a text of the model leads to the web and to mail, and nowhere relative to the page', () => {
  const html = renderToStaticMarkup(createElement(Markdown, { text: LINKS }))
  expect(addresses(html)).toEqual(['https://example.com/a', 'mailto:ann@example.com'])
  for (const text of ['near', 'root', 'host', 'hash', 'script', 'picture'])
    expect(html).toContain(text)
})

test('a relative link is one where the page says what it resolves to, and never a script', () => {
  const resolveLink = (href: string): string | undefined =>
    href.startsWith('#') ? undefined : URL.parse(href, 'https://wiki.example/pumps/')?.href
  const html = renderToStaticMarkup(createElement(SharedMarkdown, { text: LINKS, resolveLink }))
  expect(addresses(html)).toEqual([
    'https://example.com/a',
    'mailto:ann@example.com',
    'https://wiki.example/pumps/notes.md',
    'https://wiki.example/health',
    'https://evil.example/',
    'https://wiki.example/pumps/pump.png',
  ])
})

test('code has a button to copy it, and classes are those of the page', () => {
  const text = '```ts\nconst a = 1\n```\n\n- [x] done\n\n| a |\n|--:|\n| 1 |'
  const html = renderToStaticMarkup(createElement(Markdown, { text }))
  expect(html).toMatch(/^<div class="markdown"><figure class="code">.*<button/s)
  expect(html).toContain('<li class="task">')
  expect(html).toContain('<td class="align-right">')
})
