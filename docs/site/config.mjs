import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { onlyPages } from './links.mjs'
import { titleOf } from './pages.mjs'

/** Pages for readers, in the order in which they are needed. */
const GUIDES = [
  'write-an-agent',
  'run-it',
  'deploy',
  'scale',
  'pages',
  'change-by-talking',
  'let-it-work',
  'start-runs',
  'evals',
  'experiments',
  'http-api',
  'other-clients',
  'react',
  'embed-it',
  'what-works-with-what',
  'write-a-plugin',
  'hooks',
  'architecture',
]

/**
 * The site of the documentation.
 *
 * @param {{ source: string, outDir: string, pages: readonly string[] }} place `pages`: their paths
 *   below `source`
 */
export const siteConfig = ({ source, outDir, pages }) => {
  /** @param {string} text @param {readonly string[]} chosen */
  const group = (text, chosen) => ({
    text,
    collapsed: text === 'Decisions',
    items: chosen
      .filter((page) => pages.includes(page))
      .map((page) => ({ text: titleOf(source, page), link: linkOf(page) })),
  })
  /** @param {RegExp} pattern */
  const matching = (pattern) => pages.filter((page) => pattern.test(page)).toSorted()
  return defineConfig({
    title: 'Amodal',
    description: 'A runtime for domain agents: a folder of files, served',
    srcDir: source,
    outDir,
    cacheDir: join(outDir, '../cache'),
    cleanUrls: true,
    rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
    vite: {
      // the target of the clone's code is nothing to a page
      esbuild: { tsconfigRaw: '{}' },
      build: { chunkSizeWarningLimit: 5_000 },
    },
    markdown: { html: false, config: (markdown) => onlyPages(markdown, source) },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      nav: [
        { text: 'Guide', link: '/docs/' },
        { text: 'Plugins', link: '/plugins/' },
        { text: 'API', link: '/api/' },
        { text: 'Changelog', link: '/CHANGELOG' },
      ],
      // one for each part of the site: each page has its sidebar in it
      sidebar: {
        '/plugins/': [group('Plugins', matching(/^plugins\/[^/]+\/README\.md$/))],
        '/docs/plugins/': [group('What plugins declare', matching(/^docs\/plugins\//))],
        '/api/': [group('API', matching(/^api\/[^/]+\/README\.md$/))],
        '/': [
          group('Guide', ['README.md', ...GUIDES.map((name) => `docs/${name}.md`)]),
          group('Reference', matching(/^docs\/reference\//)),
          group('Examples', matching(/^examples\//)),
          group('Decisions', matching(/^docs\/decisions\//)),
          group('Work on it', ['CONTRIBUTING.md', 'CHANGELOG.md']),
        ],
      },
    },
  })
}

/** @param {string} page */
const linkOf = (page) => `/${page.replace(/README\.md$/, '').replace(/\.md$/, '')}`
