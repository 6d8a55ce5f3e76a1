import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { onlyPages } from './links.mjs'
import { sidebars } from './sidebar.mjs'

/** @param {string} heading */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/**
 * The site of the documentation.
 *
 * @param {{ source: string, outDir: string, pages: readonly string[], version: string }} place
 *   `pages`: their paths below `source`
 */
export const siteConfig = ({ source, outDir, pages, version }) =>
  defineConfig({
    lang: 'en',
    title: 'Amodal',
    description: 'A runtime for AI agents: a folder of files, served',
    head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
    srcDir: source,
    outDir,
    cacheDir: join(outDir, '../cache'),
    cleanUrls: true,
    // what all pages share, once
    metaChunk: true,
    vite: {
      // the target of the clone's code is nothing to a page
      esbuild: { tsconfigRaw: '{}' },
      build: { chunkSizeWarningLimit: 5_000 },
    },
    markdown: {
      html: false,
      // the anchors of GitHub, which the links of the pages have
      anchor: { slugify: slugOf },
      languageAlias: { sse: 'yaml', caddy: 'nginx' },
      config: (markdown) => onlyPages(markdown, source),
    },
    themeConfig: {
      logo: '/icon.svg',
      search: {
        provider: 'local',
        options: {
          miniSearch: {
            searchOptions: {
              // Who searches wants to know how something is done, and seldom a single type.
              boostDocument: (id) => {
                if (id.startsWith('/api/')) return 0.1
                if (/^\/(?:docs\/(?:plugins|decisions)\/|CHANGELOG)/.test(id)) return 0.3
                return 1
              },
            },
          },
        },
      },
      outline: [2, 3],
      nav: [
        { text: 'Guide', link: '/introduction', activeMatch: '^/(introduction|docs/(?!plugins/))' },
        { text: 'Examples', link: '/docs/#examples', activeMatch: '^/examples/' },
        { text: 'Plugins', link: '/plugins/', activeMatch: '^/(docs/)?plugins/' },
        { text: 'API', link: '/api/', activeMatch: '^/api/' },
        { text: `v${version}`, link: '/CHANGELOG' },
      ],
      sidebar: sidebars({ source, pages }),
    },
  })
