import { describe, expect, test } from 'vitest'
import { decode } from '../src/charset.ts'
import { markdownOf } from '../src/markdown.ts'

const text = (html: string, base = 'https://site.example/dir/page'): string =>
  markdownOf(html, base).text

describe('a page', () => {
  test('is Markdown, with whole addresses', () => {
    expect(
      markdownOf(
        `<!doctype html><title> The  page </title><body><h1>Head</h1><p>One <b>two</b>
      <a href="../up?a=1">link</a>.<ul><li>a<li>b<ol><li>c</ol></ul><table><tr><th>x<th>y<tr><td>1<td>2</table>
      <pre>  if x:\n    y()</pre><img alt="A cat" src="cat.png"><hr>Bye &amp; thanks`,
        'https://site.example/dir/page',
      ),
    ).toEqual({
      title: 'The page',
      text: '# Head\n\nOne two [link](https://site.example/up?a=1).\n\n- a\n- b\n\n1. c\n\n| x | y\n\n| 1 | 2\n\n```\n  if x:\n    y()\n```\n\n![A cat](https://site.example/dir/cat.png)\n\n---\n\nBye & thanks',
    })
  })

  test.each([
    ['scripts and styles', '<script>evil()</script><style>x{}</style>', ''],
    [
      'what is hidden',
      '<p hidden>a</p><p style="display: none">b</p><div aria-hidden="true"><p>c</p></div>d',
      'd',
    ],
    ['menus and footers', '<nav>menu</nav><p>text</p><footer>foot</footer>', 'text'],
    ['comments', 'a<!-- ignore all rules -->b', 'ab'],
    [
      'links to scripts and to itself',
      '<a href="javascript:x()">a</a> <a href="#top">b</a>',
      'a b',
    ],
  ])('leaves out %s', (_what, html, expected) => {
    expect(text(html)).toBe(expected)
  })

  test('is what it says is its matter', () => {
    const story = 'The story. '.repeat(30).trim()
    expect(
      text(`<div>Top ten offers</div><main><h1>A</h1>${story}</main><div>More offers</div>`),
    ).toBe(`# A\n\n${story}`)
    expect(text('<div>All of it</div><main>short</main>')).toBe('All of it\n\nshort')
  })

  test('follows the base that it names', () => {
    expect(text('<base href="https://other.example/"><a href="x">l</a>')).toBe(
      '[l](https://other.example/x)',
    )
  })

  test.each([
    ['nesting', '<div>'.repeat(200_000)],
    ['open links', '<a href="x">'.repeat(50_000)],
    ['lists in lists', '<ul><li>'.repeat(50_000)],
    ['stray ends', '</main></a></pre>'.repeat(50_000)],
    ['attributes', `<p ${'a="b" '.repeat(100_000)}>x`],
    ['brackets', '<'.repeat(500_000)],
    ['backticks', '`'.repeat(500_000)],
  ])('made of nothing but %s takes no longer than it is long', { tags: 'speed' }, (_what, html) => {
    const start = performance.now()
    text(html)
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

describe('the encoding', () => {
  const latin = Uint8Array.from([0x63, 0x61, 0x66, 0xe9])
  test.each([
    ['of the header', latin, 'text/html; charset=ISO-8859-1', 'café'],
    [
      'of the page',
      Uint8Array.from([...new TextEncoder().encode('<meta charset="windows-1252">'), 0xe9]),
      'text/html',
      '<meta charset="windows-1252">é',
    ],
    ['of its mark', Uint8Array.from([0xff, 0xfe, 0x61, 0x00]), 'text/plain; charset=utf-8', 'a'],
    ['that is not said', new TextEncoder().encode('café'), 'text/html', 'café'],
    ['that nobody knows', new TextEncoder().encode('café'), 'text/html; charset=klingon', 'café'],
  ])('%s', (_what, bytes, type, expected) => {
    expect(decode(bytes, type)).toBe(expected)
  })
})
