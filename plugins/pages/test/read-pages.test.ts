import { defineBundle, type AgentBundle } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { PageBuilds } from '../src/page-builds.ts'
import { pageFiles, readPages, type ReadPages } from '../src/read-pages.ts'
import { placeOf } from '../src/runtime-errors.ts'

const STORES = ['alerts', 'zones'].map((name) => ({
  name,
  entity: { name, key: '{id}', schema: { id: { type: 'string' as const } } },
}))

function bundleOf(files: Readonly<Record<string, string>>): AgentBundle {
  return {
    ...defineBundle({ name: 'desk', stores: STORES }),
    files: Object.entries(files).map(([path, text]) => ({ path, text })),
  }
}

const read = (
  files: Readonly<Record<string, string>>,
  builds = new PageBuilds(),
): Promise<ReadPages> => readPages(bundleOf(files), pageFiles(bundleOf(files)), builds)

const COMPONENT = 'export default function Page() { return <p>Hello</p> }\n'
/** What is wrong with a page of this text. */
const problemsOf = async (text: string, more: Readonly<Record<string, string>> = {}) =>
  (await read({ 'pages/a.tsx': text, ...more })).problems.get('pages/a.tsx') ?? []

describe('the config of a page', () => {
  test('is read without running the file', async () => {
    const { pages } = await read({
      'pages/ops-board.tsx': `
globalThis.ran = true
export const page = {
  title: \`Board\`, 'description': 'All', stores: ['zones'], hidden: true,
  context: { id: 'string', count: 'number' },
} satisfies object
${COMPONENT}`,
    })
    expect(pages).toMatchObject([
      { name: 'ops-board', title: 'Board', stores: ['zones'], hidden: true },
    ])
    expect('ran' in globalThis).toBe(false)
  })

  test('is not needed: the name is that of the file', async () => {
    const { pages } = await read({ 'pages/ops-board.tsx': COMPONENT })
    expect(pages).toMatchObject([{ name: 'ops-board', title: 'Ops Board', hidden: false }])
  })

  test.each([
    ['a computed value', `export const page = {\n  name: 'a' + b }\n`, 2, /computed/],
    ['a call', `export const page = {\n\n  stores: list() }\n`, 3, /computed/],
    ['a spread', `export const page = {\n  ...other }\n`, 2, /computed field/],
    ['a wrong type', `export const page = {\n  stores: 'alerts' }\n`, 2, /page.stores/],
    ['a bad name', `export const page = {\n  name: '../x' }\n`, 2, /page.name/],
    ['a wrong kind of parameter', `export const page = { context: {\n  id: 'date' } }\n`, 2, /id/],
  ])('with %s names the line', async (_what, text, line, message) => {
    const [problem] = await problemsOf(text + COMPONENT)
    expect(problem).toMatchObject({ file: 'pages/a.tsx', line })
    expect(problem?.message).toMatch(message)
  })

  test('warns of stores, automations and fields that are not there, with their lines', async () => {
    const { pages, warnings } = await read({
      'pages/a.tsx': `export const page = {
  stores: ['alerts',
    'nothing'],
  automations: ['never'],
  icons: 'x',
}
import { useStoreList } from '@amodalai/react'
export default function Page() {
  useStoreList('zones')
  return null
}`,
    })
    expect(pages).toHaveLength(1)
    expect(warnings.map(({ line, message }) => [line, message])).toEqual([
      [5, '`page.icons` is not a known field'],
      [3, 'there is no store "nothing"'],
      [4, 'there is no automation "never"'],
      [9, 'this page does not declare the store "zones", so it cannot read it'],
    ])
  })
})

describe('the stores of a page', () => {
  test('are those of its hooks where it lists none, in its parts as well', async () => {
    const { pages } = await read({
      'pages/a.tsx': `import { Zones } from './parts/zones'\nimport * as a from '@amodalai/react'
export default function Page() { a.useStoreList('alerts'); return <Zones /> }`,
      'pages/parts/zones.tsx': `import { useStore } from '@amodalai/react'
export const Zones = () => <p>{useStore('zones', 'x').data?.id}</p>`,
    })
    expect(pages[0]?.stores).toEqual(['zones', 'alerts'])
  })

  test('are not those of names that are computed', async () => {
    const { pages } = await read({
      'pages/a.tsx': `import { useStoreList } from '@amodalai/react'
export default function Page() { useStoreList(['alerts'][0]); return null }`,
    })
    expect(pages[0]?.stores).toEqual([])
  })
})

describe('a page that cannot be built', () => {
  test.each([
    ['a syntax error', 'export default () => (\n  <p>\n', 3, /Unexpected end of file|</],
    [
      'a file that is not there',
      `import './gone'\n${COMPONENT}`,
      1,
      /there is no file "pages\/gone"/,
    ],
    ['a file outside of pages/', `import '../.env'\n${COMPONENT}`, 1, /there is no file ".env"/],
    ['a package', `\nimport fs from 'node:fs'\n${COMPONENT}fs.rm()`, 2, /cannot import "node:fs"/],
    [
      'a hook that is not there',
      `import { useStor } from '@amodalai/react'\n${COMPONENT}useStor()`,
      1,
      /useStor/,
    ],
  ])('for %s names the line', async (_what, text, line, message) => {
    const [problem] = await problemsOf(text)
    expect(problem).toMatchObject({ file: 'pages/a.tsx', line })
    expect(problem?.message).toMatch(message)
  })

  test('for an error in a part names the part, and the page is left out', async () => {
    const [problem] = await problemsOf(`import './parts/b'\n${COMPONENT}`, {
      'pages/parts/b.ts': 'const a = 1\nconst a = 2\n',
    })
    expect(problem).toMatchObject({ file: 'pages/parts/b.ts', line: 2 })
  })

  test('takes no other along, nor do two of one name', async () => {
    const { pages, problems } = await read({
      'pages/bad.tsx': '<p>',
      'pages/good.tsx': COMPONENT,
      'pages/other.tsx': `export const page = {\n  name: 'good' }\n${COMPONENT}`,
    })
    expect(pages.map(({ name }) => name)).toEqual(['good'])
    expect(problems.get('pages/other.tsx')).toMatchObject([
      { line: 2, message: 'there is another page "good": pages/good.tsx' },
    ])
  })

  test('for want of a component is one only where no page imports it', async () => {
    const files = { 'pages/words.tsx': 'export const WORD = "x"\n' }
    expect(
      (await read({ ...files, 'pages/a.tsx': COMPONENT })).problems.has('pages/words.tsx'),
    ).toBe(true)
    const using = `import { WORD } from './words'\nexport default () => <p>{WORD}</p>`
    expect((await read({ ...files, 'pages/a.tsx': using })).problems.size).toBe(0)
  })
})

describe('a script', () => {
  test('is the same for the same files, and built once', async () => {
    const files = { 'pages/a.tsx': COMPONENT, 'pages/parts/unused.ts': '1' }
    const builds = new PageBuilds()
    const [first] = (await read(files, builds)).pages
    const script = builds.script(first?.hash ?? '')
    const [second] = (await read({ ...files, 'pages/parts/unused.ts': '2' }, builds)).pages
    expect(second?.hash).toBe(first?.hash)
    expect(builds.script(first?.hash ?? '')).toBe(script)
    expect((await read(files)).pages[0]?.hash).toBe(first?.hash)
  })

  test('has the shape of its hooks: other text is the same, other state is not', async () => {
    const shapeOf = async (text: string): Promise<string | undefined> =>
      (await read({ 'pages/a.tsx': `export default function Page() { ${text} }` })).pages[0]?.shape
    const shape = await shapeOf('React.useState(1); return <p>a</p>')
    expect(await shapeOf('React.useState(1); return <p>b</p>')).toBe(shape)
    expect(await shapeOf('React.useState(2); return <p>a</p>')).not.toBe(shape)
    expect(await shapeOf('React.useState(1); React.useRef(1); return <p>a</p>')).not.toBe(shape)
  })

  test('looks at the clock in every loop, and leaves lines where they are', async () => {
    const builds = new PageBuilds()
    const text = `export default function Page() {
  for (const a of [1]) for (;;) if (a) break
  while (false) {}
  do var b = 1; while (false)
  for (const c in {}) void c
  throw new Error('here')
}`
    const { pages } = await read({ 'pages/a.tsx': text }, builds)
    const [page] = pages
    const { code = '' } = builds.script(page?.hash ?? '') ?? {}
    const loops = code.match(/\b(?:for|while) \(/g) ?? []
    expect(loops.length).toBeGreaterThan(4)
    expect(code.match(/__amodal\.isLate/g)).toHaveLength(loops.length)
    const lines = code.split('\n')
    const at = lines.findIndex((line) => line.includes("'here'") || line.includes('"here"'))
    const column = (lines[at] ?? '').indexOf('throw') + 1
    const stack = `at Page (pages-bundle/a-${page?.hash}.js:${at + 1}:${column})`
    const place = await placeOf(stack, (hash) => Promise.resolve(builds.script(hash)))
    expect(place).toMatchObject({
      file: 'pages/a.tsx',
      line: 6,
      source: "  throw new Error('here')",
    })
  })
})
