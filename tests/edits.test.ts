import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pluginsOf } from '../scripts/lib/list-plugins.mjs'

/** The product is copied, so that its sources can be edited; nothing is built there at first. */
const root = join(import.meta.dirname, '..')
const FOLDERS = ['kernel', 'sdk', 'plugins', 'presets', 'cli', 'examples', 'scripts']
const FILES = [
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'tsconfig.json',
  'tsup.config.ts',
  'tests/package.json',
  '.tools/installed',
]
/** A package of many files, and a line that a server prints when it serves. */
const EDITED = 'plugins/http'
const SOURCE = `${EDITED}/src/banner.ts`
const LINE = 'Runtime ready:'
/** The best of some, on a machine that has much else to do. */
const ATTEMPTS = 3

let workspace = ''
let wholeMs = 0
const started: ChildProcess[] = []

beforeAll(async () => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'amodal-edits-')))
  for (const name of [...FOLDERS, ...FILES])
    cpSync(join(root, name), join(workspace, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/(?:dist|\.cache|\.amodal|test)$/.test(relative(root, path)),
    })
  for (const name of ['node_modules', '.tools/node_modules'])
    symlinkSync(realpathSync(join(root, name)), join(workspace, name))
  // or else the first command would install into the folders that are shared
  if (!(await isInstalled())) throw new Error('first of all: npm run pnpm -- install')
  wholeMs = build()
}, 240_000)

afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(workspace, { recursive: true, force: true })
})

describe('an edit of a source', () => {
  test('is what runs at the next start', { timeout: 120_000 }, async () => {
    expect(await firstLines()).toContain(LINE)
    const before = stamps()
    edit(LINE, 'Edited a moment ago:')
    expect(await firstLines()).toContain('Edited a moment ago:')
    expect(changed(before)).toEqual([EDITED])
  })

  test('has its own package built and no other, in a part of the time of all', () => {
    const times = Array.from({ length: ATTEMPTS }, (_, attempt) => {
      const before = stamps()
      edit(/^/, `// attempt ${attempt}\n`)
      const ms = build()
      expect(changed(before)).toEqual([EDITED])
      return ms
    })
    const ms = Math.min(...times)
    process.stdout.write(
      `building one package after an edit: ${ms.toFixed(0)} ms; all of them: ${wholeMs.toFixed(0)} ms\n`,
    )
    expect(ms / wholeMs).toBeLessThan(0.8)
  })

  test('is built once: without another one nothing is', () => {
    const before = stamps()
    build()
    expect(changed(before)).toEqual([])
  })
})

async function isInstalled(): Promise<boolean> {
  const file = pathToFileURL(join(workspace, 'scripts/lib/workspace.mjs')).href
  const installing = (await import(file)) as {
    readonly isInstalled: (root: string) => boolean
  } // plain JavaScript of ours
  return installing.isInstalled(workspace)
}

function edit(text: string | RegExp, by: string): void {
  const file = join(workspace, SOURCE)
  const source = readFileSync(file, 'utf8')
  expect(source).toMatch(text)
  writeFileSync(file, source.replace(text, by))
}

/** What stands behind every start where a package is stale. Returns the milliseconds it took. */
function build(): number {
  const begin = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], {
    cwd: workspace,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return performance.now() - begin
}

/** What each package was built from. */
function stamps(): ReadonlyMap<string, string> {
  const folders = [
    'kernel',
    'sdk',
    'presets',
    'cli',
    ...pluginsOf(workspace).map(({ name }) => `plugins/${name}`),
  ]
  return new Map(
    folders.map((folder) => [folder, readFileSync(join(workspace, folder, 'dist/.built'), 'utf8')]),
  )
}

const changed = (before: ReadonlyMap<string, string>): readonly string[] =>
  [...stamps()].filter(([folder, stamp]) => before.get(folder) !== stamp).map(([folder]) => folder)

/** What `npm start` prints until it serves. */
async function firstLines(): Promise<readonly string[]> {
  const server = spawn(process.execPath, ['scripts/run.mjs', 'start', '--port', '0'], {
    cwd: workspace,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(server)
  let errors = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line)
    if (/^ +Chat +→/.test(line)) break
  }
  server.kill('SIGTERM')
  if (server.exitCode === null) await once(server, 'close')
  if (lines.length === 0) throw new Error(`it did not start: ${errors}`)
  return lines
}

/** That of a shell: what Vitest and an outer npm added would speak to the inner ones. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:VITEST|npm_|INIT_CWD$|NODE_ENV$|NODE_OPTIONS$|AMODAL_|DATABASE_URL$)/.test(name),
    ),
  )
