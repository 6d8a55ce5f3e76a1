import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadLinks } from '../../docs/site/check-links.mjs'

test('links of the built site are followed to their page and to its heading', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'amodal-site-'))
  try {
    await mkdir(join(folder, 'docs'))
    const link = (href: string): string => `<a class="link" href="${href}">there</a>`
    await writeFile(
      join(folder, 'index.html'),
      [
        '/',
        '/docs/',
        '/docs/page',
        './docs/page#part',
        '#top',
        'https://example.com/',
        '/docs/README',
      ]
        .map(link)
        .join('<h1 id="top"></h1>'),
    )
    await writeFile(join(folder, 'docs/index.html'), link('./page#gap'))
    await writeFile(
      join(folder, 'docs/page.html'),
      `<h2 id="part"></h2>${link('../')}${link('./')}`,
    )
    expect(deadLinks(folder).toSorted()).toEqual([
      'docs/index.html: ./page#gap',
      'index.html: /docs/README',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
