import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { titleOf } from './pages.mjs'

/** Pages for readers by what they want to do, in the order in which they need them. */
const GUIDES = {
  'Build an agent': [
    'write-an-agent',
    'pages',
    'let-it-work',
    'start-runs',
    'org-tools',
    'change-by-talking',
    'share-parts',
    'second-layout',
  ],
  'Show it': ['react', 'widget', 'http-api', 'other-clients', 'embed-it'],
  'Know whether it is good': ['evals', 'experiments'],
  'Run it': ['run-it', 'deploy', 'scale', 'watch-it', 'cli', 'what-works-with-what'],
  'Extend it': ['write-a-plugin', 'hooks', 'architecture'],
}

/** @typedef {{ source: string, pages: readonly string[] }} Site */
/** @typedef {{ text: string, link?: string, collapsed?: boolean, items?: Item[] }} Item */

/**
 * The sidebars, one for each part of the site, by the beginning of the addresses of its pages.
 *
 * @param {Site} site
 * @returns {Record<string, Item[]>}
 */
export function sidebars(site) {
  const listed = Object.values(GUIDES).flat()
  const missing = site.pages.filter(
    (page) => /^docs\/[^/]+\.md$/.test(page) && !listed.includes(page.slice(5, -3)),
  )
  if (missing.some((page) => page !== 'docs/index.md'))
    throw new Error(`docs/site/sidebar.mjs lists no ${missing.join(', ')}`)
  return {
    '/plugins/': pluginGroups(site, (name) => `plugins/${name}/index.md`),
    '/docs/plugins/': pluginGroups(site, (name) => `docs/plugins/${name}.md`),
    '/api/': [group(site, 'API', modulesOf(site))],
    ...apiSidebars(site),
    '/': [
      {
        text: 'Start',
        collapsed: false,
        items: [
          { text: 'Introduction', link: '/introduction' },
          { text: 'All pages', link: '/docs/' },
        ],
      },
      ...Object.entries(GUIDES).map(([text, names]) =>
        group(
          site,
          text,
          names.map((name) => `docs/${name}.md`),
        ),
      ),
      group(site, 'Reference', matching(site, /^docs\/reference\//)),
      group(site, 'Examples', matching(site, /^examples\//), true),
      group(
        site,
        'Packages',
        matching(site, /^(?:kernel|sdk|presets|cli)\/(?:.*\/)?index\.md$/),
        true,
      ),
      group(site, 'Decisions', matching(site, /^docs\/decisions\//), true),
      group(
        site,
        'Work on it',
        ['CONTRIBUTING.md', 'CHANGELOG.md', ...matching(site, /^tests\//)],
        true,
      ),
    ],
  }
}

/** @param {Site} site @param {RegExp} pattern */
const matching = ({ pages }, pattern) => pages.filter((page) => pattern.test(page)).toSorted()

/**
 * @param {Site} site @param {string} text @param {readonly string[]} chosen
 * @param {boolean} [collapsed]
 * @returns {Item}
 */
const group = ({ source }, text, chosen, collapsed = false) => ({
  text,
  collapsed,
  items: chosen.map((page) => ({ text: titleOf(source, page), link: linkOf(page) })),
})

/** @param {string} page */
const linkOf = (page) => `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`

/**
 * The plugins in the groups of plugins/README.md.
 *
 * @param {Site} site
 * @param {(name: string) => string} pageOf
 * @returns {Item[]}
 */
function pluginGroups({ source }, pageOf) {
  const [, ...sections] = readFileSync(join(source, 'plugins/index.md'), 'utf8').split(/^## /m)
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    collapsed: false,
    items: [...section.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, name = '']) => ({
      text: name,
      link: linkOf(pageOf(name)),
    })),
  }))
}

/**
 * The first pages of what people import: of a package with several doors, those of its doors.
 *
 * @param {Site} site
 */
function modulesOf(site) {
  const first = matching(site, /^api\/.+\/index\.md$/)
  const hasDoors = (/** @type {string} */ page) =>
    first.some((other) => other !== page && other.startsWith(page.replace('index.md', '')))
  return first.filter((page) => !hasDoors(page))
}

/** Folders in which TypeDoc puts the pages of a module. */
const KINDS = {
  functions: 'Functions',
  classes: 'Classes',
  interfaces: 'Interfaces',
  'type-aliases': 'Types',
  variables: 'Variables',
}

/**
 * The sidebars of the API: a page has those that are of its own module and kind, and no others,
 * since there are hundreds.
 *
 * @param {Site} site
 */
function apiSidebars(site) {
  const folders = modulesOf(site).map((page) => page.replace(/index\.md$/, ''))
  return Object.fromEntries(folders.flatMap((folder) => moduleSidebars(site, folder)))
}

/**
 * @param {Site} site @param {string} folder of a module
 * @returns {[string, Item[]][]}
 */
function moduleSidebars(site, folder) {
  const kinds = Object.entries(KINDS).flatMap(([kind, text]) => {
    const pages = matching(site, /./).filter((page) => page.startsWith(`${folder}${kind}/`))
    return pages.length === 0 ? [] : [{ kind, text, pages }]
  })
  const top = [
    { text: '← All modules', link: '/api/' },
    { text: titleOf(site.source, `${folder}index.md`), link: `/${folder}` },
  ]
  const withOpen = (/** @type {string | undefined} */ open) => [
    ...top,
    ...kinds.map(({ kind, text, pages }) =>
      kind === open ? group(site, text, pages) : { text, link: `/${folder}#${kind}` },
    ),
  ]
  return [
    [`/${folder}`, withOpen(undefined)],
    ...kinds.map(
      ({ kind }) => /** @type {[string, Item[]]} */ ([`/${folder}${kind}/`, withOpen(kind)]),
    ),
  ]
}
