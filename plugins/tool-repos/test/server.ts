import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
  options: { readonly keys?: boolean; readonly folder?: string } = {},
): Promise<Served> {
  const work = await mkdtemp(join(tmpdir(), 'tool-repos-'))
  const folder = options.folder ?? join(work, 'repos')
  const lines: string[] = []
  const kernel = unwrap(
    await Kernel.create([
      use(logTo(lines)),
      use(secretsEnv, {
        env: {
          PATH: process.env['PATH'] ?? '',
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

/** How many processes have all of these words on their command line. */
export async function processesOf(...words: readonly string[]): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => words.every((word) => line.includes(word))).length
}

/** The value of a result that has to be one. */
export const valueOf = <T>(result: Result<T, Failure>): T =>
  unwrap(result, ({ code, message }) => `${code}: ${message}`)
