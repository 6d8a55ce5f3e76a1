import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  definePlugin,
  err,
  explain,
  failure,
  Kernel,
  ok,
  Secrets,
  silentLogger,
  unwrap,
  use,
  type AgentBundle,
  type BundleIssue,
  type CommandContext,
} from '@amodal/sdk'
import { onTestFinished } from 'vitest'
import { loadBundle, repoFiles, type LoadFailure, type LoadOptions } from '../src/index.ts'

/** An agent folder of these files, gone when the test is over. */
export async function folder(
  files: Readonly<Record<string, string | object>> = {},
): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  for (const [path, content] of Object.entries({ 'amodal.json': { name: 'test' }, ...files })) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(
      join(dir, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    )
  }
  return dir
}

/** Secrets over a plain record, with the `.env` syntax that the tests use. */
export function secretsOf(variables: Readonly<Record<string, string>> = {}): Secrets {
  const known = new Map(Object.entries(variables))
  return {
    get: (name) => known.get(name),
    resolve(text, where) {
      const name = /^env:(.+)$/.exec(text)?.[1]
      if (name === undefined) return ok(text)
      const value = known.get(name)
      return value === undefined
        ? err(failure('ENV_NOT_SET', `${name} is not set (${where})`))
        : ok(value)
    },
    load({ text }) {
      const pairs = text
        .split('\n')
        .flatMap((line) =>
          line.includes('=')
            ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const]
            : [],
        )
      for (const [name, value] of pairs) if (!known.has(name)) known.set(name, value)
      return pairs.map(([name]) => name)
    },
    values: () => [...known.values()],
    protect: () => () => undefined,
    mask: (text) => text,
  }
}

/** A kernel of the plugin and the secrets above, closed when the test is over. */
export async function kernelFor(
  dir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Kernel> {
  const secrets = definePlugin({
    name: 'secrets',
    version: '1.0.0',
    provides: [Secrets],
    setup({ provide }) {
      provide(Secrets, () => secretsOf(variables))
    },
  })
  const kernel = unwrap(await Kernel.create([use(secrets), use(repoFiles, { dir })]), explain)
  onTestFinished(async () => void (await kernel.close()))
  return kernel
}

/** Loads a folder that must load. */
export async function load(dir: string, options: Partial<LoadOptions> = {}): Promise<AgentBundle> {
  const loaded = await loadBundle(dir, { secrets: secretsOf(), ...options })
  if (!loaded.ok) throw new Error(loaded.error.message)
  return loaded.value
}

/** Loads a folder that must not load. */
export async function refused(
  dir: string,
  options: Partial<LoadOptions> = {},
): Promise<LoadFailure> {
  const loaded = await loadBundle(dir, { secrets: secretsOf(), ...options })
  if (loaded.ok) throw new Error('it loaded')
  return loaded.error
}

/** `error stores/a.json:4 message — fix`, one a line. */
export function told(issues: readonly BundleIssue[]): readonly string[] {
  return issues.map(
    ({ severity, file, line, message, fix }) =>
      `${severity} ${file ?? '-'}:${line ?? '-'} ${message} — ${fix ?? '-'}`,
  )
}

/** What a command prints, and its exit code. */
export function terminal(
  dir: string,
  options: CommandContext['options'] = {},
): { readonly context: CommandContext; readonly text: () => string } {
  const lines: string[] = []
  const context: CommandContext = {
    options,
    dir,
    arguments: [],
    env: {},
    log: silentLogger,
    signal: new AbortController().signal,
    print: (line) => void lines.push(line),
    write: (text) => void lines.push(text),
    fail: (line) => void lines.push(line),
    input: (async function* () {})(),
    start: () => Promise.reject(new Error('nothing is started to check files')),
  }
  return { context, text: () => lines.join('\n') }
}
