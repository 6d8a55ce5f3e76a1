import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { auth } from '@amodal/plugin-auth'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { tenant } from '@amodal/plugin-tenant'
import {
  definePlugin,
  explain,
  Kernel,
  Log,
  sha256,
  tenantId,
  unwrap,
  use,
  type Failure,
  type Logger,
  type Result,
} from '@amodal/sdk'
import { toolRepos } from '../src/index.ts'
import { ToolRepos, type RepoSource } from '../src/tokens.ts'

const SECRET = 'a'.repeat(42)
const key = (at: number): string => `amodal_${'abcdefghijk'}${'abcdefgh'[at]}_${SECRET}${at}`

/** Keys by who has them. */
export const KEYS = { anna: key(0), bert: key(1), chat: key(2), operator: key(3) }
const VARIABLE = [
  `${KEYS.anna};scopes=tools:repo;tenant=acme`,
  `${KEYS.bert};scopes=tools:repo;tenant=beta`,
  `${KEYS.chat};scopes=chat;tenant=acme`,
  `${KEYS.operator};scopes=tools:repo+admin`,
].join(' ')

export const ACME: RepoSource = { tenant: tenantId('acme'), repo: 'team' }
export const MAIN: RepoSource = { tenant: tenantId('acme'), repo: 'main' }

export interface Ran {
  readonly code: number | null
  readonly text: string
}

export interface Served extends AsyncDisposable {
  readonly origin: string
  readonly port: number
  readonly kernel: Kernel
  readonly repos: ToolRepos
  /** Lines of the log. */
  readonly lines: readonly string[]
  /** A folder for clones, apart from the repositories. */
  readonly work: string
  /** The folder of all repositories. */
  readonly folder: string
  /** Where the repository of a tenant is. */
  folderOf(name: string): string
  url(who?: keyof typeof KEYS, org?: string, path?: string): string
  /** The git of this machine, with no configuration of its user. */
  git(args: readonly string[], more?: GitOptions): Promise<Ran>
  /** The same, which has to succeed. Returns its output. */
  done(args: readonly string[], more?: GitOptions): Promise<string>
  /** A clone of a new name, with its files committed where there are any. */
  clone(files?: Readonly<Record<string, string>>, from?: string): Promise<string>
}

export interface GitOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
}

const logTo = (lines: string[]) => {
  const write = (event: string, data: object = {}): void =>
    void lines.push(`${event} ${JSON.stringify(data)}`)
  const logger: Logger = {
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => logger,
  }
  return definePlugin({
    name: 'memory-log',
    version: '1.0.0',
    provides: [Log],
    setup: ({ provide }) => provide(Log, () => logger),
  })
}

export async function served(
  config: Readonly<Record<string, unknown>> = {},
  options: {
    readonly keys?: boolean
    readonly folder?: string
    readonly path?: string
  } = {},
): Promise<Served> {
  const work = await mkdtemp(join(tmpdir(), 'tool-repos-'))
  const folder = options.folder ?? join(work, 'repos')
  const lines: string[] = []
  const kernel = unwrap(
    await Kernel.create([
      use(logTo(lines)),
      use(secretsEnv, {
        env: {
          PATH: options.path ?? process.env['PATH'] ?? '',
          ...(options.keys !== false && { AMODAL_API_KEYS: VARIABLE }),
        },
        masterKey: 'memory',
      }),
      use(outbound),
      use(http, { port: 0 }),
      use(auth, { dir: work, localToken: true }),
      use(tenant),
      use(toolRepos, { folder, ...config }),
    ]),
    explain,
  )
  const port = kernel.scope.get(HttpApp).address()?.port ?? 0
  const origin = `http://127.0.0.1:${port}`
  const git: Served['git'] = (args, more) => runGit(work, args, more)
  const done: Served['done'] = async (args, more) => {
    const { code, text } = await git(args, more)
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${text}`)
    return text
  }
  let clones = 0
  const url: Served['url'] = (who = 'anna', org = 'acme', path = 'tools.git') =>
    `http://token:${KEYS[who]}@127.0.0.1:${port}/v1/${org}/tool/git/${path}`
  return {
    origin,
    port,
    kernel,
    repos: kernel.scope.get(ToolRepos),
    lines,
    work,
    folder,
    folderOf: (name) => join(folder, sha256(name), 'team.git'),
    url,
    git,
    done,
    async clone(files = {}, from = url()) {
      const to = join(work, `clone${++clones}`)
      await done(['clone', '--quiet', from, to])
      await commit(to, files, done)
      return to
    },
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
      await rm(work, { recursive: true, force: true })
    },
  }
}

async function commit(
  to: string,
  files: Readonly<Record<string, string>>,
  done: Served['done'],
): Promise<void> {
  if (Object.keys(files).length === 0) return
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await writeFile(join(to, path), text)
  }
  await done(['add', '--all'], { cwd: to })
  await done(['commit', '--quiet', '--message', 'Add files'], { cwd: to })
}

function runGit(
  home: string,
  args: readonly string[],
  { cwd = home, env = {}, input = '' }: GitOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...args], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        LANG: 'C.UTF-8',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Anna',
        GIT_AUTHOR_EMAIL: 'anna@example.com',
        GIT_COMMITTER_NAME: 'Anna',
        GIT_COMMITTER_EMAIL: 'anna@example.com',
        ...env,
      },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, text }))
  })
}

async function pidsWhere(test: (pid: string) => Promise<boolean>): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const fits = await Promise.all(pids.map((pid) => test(pid).catch(() => false)))
  return pids.filter((_pid, at) => fits[at]).map(Number)
}

/** How many processes have all of these words on their command line. */
export async function processesOf(...words: readonly string[]): Promise<number> {
  const pids = await pidsWhere(async (pid) => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    return words.every((word) => line.includes(word))
  })
  return pids.length
}

/**
 * Ids of the git processes that work in a folder. Those that git starts itself have it as their
 * working directory alone.
 */
export const gitsIn = (folder: string): Promise<readonly number[]> =>
  pidsWhere(async (pid) => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    if (!line.includes('git')) return false
    return line.includes(folder) || (await readlink(`/proc/${pid}/cwd`)).startsWith(folder)
  })

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** All files of a folder by path, with their hashes: what lies anywhere else is not compared. */
export async function contentsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = await Promise.all(
    entries.map(async (one) => {
      const path = join(one.parentPath, one.name)
      const kind = one.isFile() ? hashOf(await readFile(path)) : String(one.isDirectory())
      return [relative(folder, path), kind] as const
    }),
  )
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** What git processes and the server leave behind where they are killed. */
const TEMPORARY = /tmp_|incoming|\.lock$|\.new-/

/** Paths of what killed processes have not removed, relative to the folder of repositories. */
export const leftovers = async ({ folder }: Served): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).filter((path) => TEMPORARY.test(path)).toSorted()

/** ms that are longer than a git process may take. */
const OLD_MS = 3_600_000

/** As if everything that killed processes have not removed were of an hour ago. */
export async function age(server: Served): Promise<void> {
  const time = new Date(Date.now() - OLD_MS)
  for (const path of await leftovers(server)) await utimes(join(server.folder, path), time, time)
}

/** The value of a result that has to be one. */
export const valueOf = <T>(result: Result<T, Failure>): T =>
  unwrap(result, ({ code, message }) => `${code}: ${message}`)
