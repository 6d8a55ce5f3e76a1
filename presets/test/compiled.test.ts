import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCompiled, type Compiled } from '../src/compiled.ts'

const manifest = (name: string, exports: object): string => JSON.stringify({ name, type: 'module', sideEffects: false, exports })

/** A workspace like this one, as small as one can be. */
const WORKSPACE: Readonly<Record<string, string>> = {
  'node_modules/.modules.yaml': '{}',
  'kernel/package.json': manifest('@amodal/kernel', { '.': './src/index.ts' }),
  'kernel/src/index.ts': "export { Part } from './part.ts'\n",
  'kernel/src/part.ts': 'export class Part { readonly made: string = "of one kernel" }\n',
  'sdk/package.json': manifest('@amodal/sdk', { '.': './src/index.ts', './client': './src/client/index.ts', './testing': './src/testing/index.ts' }),
  'sdk/src/index.ts': "export { Part } from '@amodal/kernel'\nexport { shared } from './shared.ts'\n",
  'sdk/src/shared.ts': 'export const shared: object = {}\n',
  'sdk/src/client/index.ts': "import { shared } from '../shared.ts'\nexport const client = shared\n",
  'sdk/src/testing/index.ts': "import 'not-installed'\n",
  'presets/package.json': manifest('@amodal/presets', { '.': './src/index.ts' }),
  'presets/src/index.ts': "export { main } from './cli/main.ts'\n",
  'presets/src/cli/main.ts': `
    import { Part, shared } from '@amodal/sdk'
    import { client } from '@amodal/sdk/client'
    import plain from 'plain'
    export async function main(theirs: string): Promise<string> {
      const { made, tool } = await import('@amodal/plugin-one').then(({ load }) => load())
      const foreign = await import(theirs)
      return [new Part().made, plain, made, client === shared && tool === shared && foreign.shared === shared ? 'one sdk' : 'two of sdk'].join(', ')
    }\n`,
  'plugins/one/package.json': manifest('@amodal/plugin-one', { '.': './src/index.ts' }),
  'plugins/one/src/index.ts': "export const load = () => import('./late.ts')\n",
  'plugins/one/src/late.ts': "import { shared } from '@amodal/sdk'\nexport const made: string = 'loaded late'\nexport const tool = shared\n",
  'presets/node_modules/plain/package.json': '{ "main": "lib/index.js" }',
  'presets/node_modules/plain/lib/index.js': "module.exports = 'plain'\n",
}
/** Which package sees which, by pnpm's links. */
const LINKS = [['sdk', 'kernel'], ['presets', 'kernel'], ['presets', 'sdk'], ['presets', 'plugins/one'], ['plugins/one', 'sdk'], ['../theirs', 'sdk']] as const

let home: string
let root: string
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'amodal-compiled-')))
  root = join(home, 'workspace')
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  for (const [path, text] of Object.entries(WORKSPACE)) await write(join(root, path), text)
  await write(join(home, 'theirs/plugin.ts'), "export { shared } from '@amodal/sdk'\n")
  for (const [from, to] of LINKS) {
    const link = join(root, from, 'node_modules/@amodal', to.replace('plugins/', 'plugin-'))
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, to), link)
  }
  await cp(new URL('../src', import.meta.url), join(home, 'presets'), { recursive: true, filter: (path) => !path.includes('/src/') || /(compiled|resolution)\.ts$/.test(path) })
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** In a process of its own: what a name leads to is asked of Node, and a test runner has other rules. */
async function compile(): Promise<Compiled | undefined> {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../scripts/compile.ts', import.meta.url)), root])
  return readCompiled(root)
}

/** What the workspace's command line says in a process of its own, and which of its files were loaded. */
async function run(): Promise<{ readonly said: string; readonly loaded: readonly string[] }> {
  const lines = [
    "import { registerHooks } from 'node:module'",
    `import { readCompiled } from ${JSON.stringify(pathToFileURL(join(home, 'presets/compiled.ts')).href)}`,
    `import { resolveQuickly } from ${JSON.stringify(pathToFileURL(join(home, 'presets/resolution.ts')).href)}`,
    `const root = ${JSON.stringify(`${pathToFileURL(root).href}/`)}`,
    'const loaded = []',
    'registerHooks({ load: (url, context, next) => { if (url.startsWith(root)) loaded.push(url.slice(root.length)); return next(url, context) } })',
    `resolveQuickly(root, readCompiled(${JSON.stringify(root)}))`,
    "const { main } = await import(root + 'presets/src/cli/main.ts')",
    `console.log(JSON.stringify({ said: await main(${JSON.stringify(pathToFileURL(join(home, 'theirs/plugin.ts')).href)}), loaded }))`,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines.join('\n')])
  return JSON.parse(stdout) as Awaited<ReturnType<typeof run>>
}

const TOLD = 'of one kernel, plain, loaded late, one sdk'
const dist = (path: string): boolean => path.includes('/dist/')
const src = (path: string): boolean => path.includes('/src/')

describe('a workspace', () => {
  test('runs from its sources where nothing is compiled', async () => {
    const { said, loaded } = await run()
    expect(said).toBe(TOLD)
    expect(loaded.filter(dist)).toEqual([])
    expect(loaded.filter(src)).toHaveLength(8)
  })

  test('runs what was compiled, and there is one of each package, for a plugin from elsewhere too', async () => {
    const compiled = await compile()
    expect(compiled?.doors.map(({ name }) => name)).toEqual(['@amodal/kernel', '@amodal/sdk', '@amodal/sdk/client', '@amodal/presets', undefined, '@amodal/plugin-one'])
    const { said, loaded } = await run()
    expect(said).toBe(TOLD)
    expect(loaded.filter(src)).toEqual([])
    expect(loaded.filter((path) => path.startsWith('plugins/'))).toEqual(['plugins/one/dist/index.js', expect.stringMatching(/^plugins\/one\/dist\/late-.*\.js$/)])
  })

  test.each([
    ['a source', 'sdk/src/shared.ts', '\n'],
    ['a manifest', 'kernel/package.json', '\n'],
    ['a compiled file', 'kernel/dist/index.js', '\n'],
    ['what is installed', 'node_modules/.modules.yaml', '\n'],
  ])('runs its sources as soon as %s changes', async (_what, path, text) => {
    expect(await compile()).toBeDefined()
    await appendFile(join(root, path), text)
    const { said, loaded } = await run()
    expect(said).toBe(TOLD)
    expect(loaded.filter(dist)).toEqual([])
  })

  test('runs its sources where the list was cut short, or a compiled file is gone', async () => {
    await compile()
    await rm(join(root, 'sdk/dist'), { recursive: true })
    expect((await run()).said).toBe(TOLD)
    await compile()
    const list = join(root, 'node_modules/.cache/amodal/compiled.json')
    await writeFile(list, (await readFile(list, 'utf8')).slice(0, 200))
    expect((await run()).said).toBe(TOLD)
  })

  test('is not said to be compiled where a source does not compile', async () => {
    await compile()
    await writeFile(join(root, 'plugins/one/src/late.ts'), 'export const = 1\n')
    await expect(compile()).rejects.toThrow(/late\.ts/)
    expect(readCompiled(root)).toBeUndefined()
  })
})
