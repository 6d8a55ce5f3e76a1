import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLUGINS } from '@amodal/presets'
import { describe, expect, test } from 'vitest'
import { agentProblems } from './agent-files.ts'
import { freshPages } from './generated.ts'
import { deadLinks, headings } from './links.ts'
import { allPages, ROOT, sourceFiles } from './pages.ts'
import { freshPluginFiles } from './plugins.ts'
import { freshReference } from './reference/index.ts'
import { blockProblems } from './rules.ts'
import { commandLine, shellProblems } from './shell.ts'

const LONG = 120_000
const pages = allPages()
const blocks = pages.flatMap((page) => page.blocks)
const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Text of sources, without their docstrings. */
const textOf = (...folders: readonly string[]): string =>
  sourceFiles(...folders)
    .map(({ text }) => text.replaceAll(/^\s*\*.*$/gm, ''))
    .join('\n')
const sources = textOf('plugins', 'presets')
/** Where events are made. */
const sent = `${textOf('kernel', 'sdk')}\n${sources}`

describe('every page', () => {
  test('has blocks that are checked, or that say why not', () => {
    expect(blocks.length).toBeGreaterThan(30)
    expect(pages.flatMap(blockProblems)).toEqual([])
  })

  test('links to what exists', () => {
    expect(pages.flatMap(deadLinks)).toEqual([])
  })

  test(
    'shows agent files that load',
    async () => {
      expect(await agentProblems(blocks)).toEqual([])
    },
    LONG,
  )

  test(
    'names commands and options that exist',
    async () => {
      const known = await commandLine()
      expect(
        blocks.filter(({ lang }) => lang === 'sh').flatMap((block) => shellProblems(block, known)),
      ).toEqual([])
    },
    LONG,
  )
})

test('texts of the product name pages by `amodal docs`, and each of them exists', () => {
  const named = [...sent.matchAll(/\bamodal docs ([a-z-]+)(?:#([\w-]+))?/g)]
  expect(named.length).toBeGreaterThan(8)
  expect(
    named.flatMap(([line, name = '', anchor]) => {
      const path = `docs/${name}.md`
      const isThere =
        existsSync(join(ROOT, path)) && (anchor === undefined || headings(path).includes(anchor))
      return isThere ? [] : [line]
    }),
  ).toEqual([])
  // an installed package has no folder `docs`
  expect([...sent.matchAll(/['"`][^'"`\n]*\bdocs\/[\w-]+\.md/g)].map(([text]) => text)).toEqual([])
})

test('what is made from the code is fresh: `node tests/docs/generate.ts`', () => {
  for (const [path, fresh] of freshPages()) expect(page(path), path).toBe(fresh)
})

test(
  'the reference is what the plugins declare now: `node tests/docs/generate.ts`',
  async () => {
    const fresh = await freshReference()
    for (const [path, text] of fresh) expect(page(path), path).toBe(text)
    expect(
      readdirSync(join(ROOT, 'docs/reference'))
        .map((name) => `docs/reference/${name}`)
        .toSorted(),
    ).toEqual([...fresh.keys()].toSorted())
  },
  LONG,
)

describe('nothing is left out', () => {
  test('of the environment variables', () => {
    const read = new Set(
      [
        ...sources.matchAll(
          /['[{ .](AMODAL_[A-Z_]+|LOG_LEVEL|DATABASE_URL|PORT|[A-Z]+_API_KEY)\b/g,
        ),
      ].map(([, name = '']) => name),
    )
    read.delete('AMODAL_EMBEDDED_KEY') // given by `createAgent` to itself
    expect(read.size).toBeGreaterThan(8)
    expect([...read].filter((name) => !page('docs/run-it.md').includes(`\`${name}\``))).toEqual([])
  })

  test('of the endpoints', () => {
    const served = [...sources.matchAll(/endpoint\(app, '([^']+)'/g)].map(([, path = '']) => path)
    expect(served.length).toBeGreaterThan(12)
    expect(served.filter((path) => !page('docs/http-api.md').includes(path))).toEqual([])
  })

  test.each([
    ['sdk/src/agent-event.ts', 'AgentEvents', '## Events'],
    ['sdk/src/ports/runtime-event.ts', 'RuntimeEvents', '## What changes on the server'],
  ])('of the events in %s, told apart from those that nothing sends', (file, name, heading) => {
    const declared = page(file).split(`interface ${name} {`)[1]?.split('\n}\n')[0] ?? ''
    const types = [...declared.matchAll(/^ {2}(\w+): /gm)].map(([, type = '']) => type)
    const [told = '', unsent = ''] =
      page('docs/http-api.md')
        .split(`\n${heading}\n`)[1]
        ?.split('\n## ')[0]
        ?.split(/\n(?=The types? `|`automation_)/) ?? []
    const rows = [...told.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, type]) => type),
    )
    expect(types.length).toBeGreaterThan(10)
    expect(rows.toSorted()).toEqual(
      types.filter((type) => sent.includes(`type: '${type}'`)).toSorted(),
    )
    expect(types.filter((type) => !rows.includes(type) && !unsent.includes(`\`${type}\``))).toEqual(
      [],
    )
  })

  test('of the plugins there are: what is made from their declarations is what they declare now', () => {
    for (const [path, text] of freshPluginFiles())
      expect(page(path), `${path}: node tests/docs/generate.ts`).toBe(text)
    expect(readdirSync(join(ROOT, 'docs/plugins')).toSorted()).toEqual(
      Object.keys(PLUGINS)
        .map((name) => `${name}.md`)
        .toSorted(),
    )
  })

  test('of the examples: docs/README.md leads to the page of each', () => {
    const folders = readdirSync(join(ROOT, 'examples'))
    expect(folders.length).toBeGreaterThan(4)
    expect(
      folders.filter((name) => !page('docs/README.md').includes(`(../examples/${name}/README.md)`)),
    ).toEqual([])
  })

  test('of the pages: docs/README.md leads to each', () => {
    const listed = page('docs/README.md')
    expect(
      readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
        (path) =>
          path.endsWith('.md') &&
          path !== 'README.md' &&
          !/^(?:plugins|site)\//.test(path) &&
          !listed.includes(`(${path})`),
      ),
    ).toEqual([])
  })
})
