import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { err, messageOf, ok, timeLimit, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { LIMITS } from './contents.ts'
import { PartsNotFound } from './errors.ts'
import type { RegistryContext } from './registry-context.ts'
import type { Source } from './source.ts'

const LIMIT_MS = 120_000
const MOST_MESSAGE = 1_000

/** A commit and its files as a tar archive. */
export interface FetchedCommit {
  readonly commit: string
  readonly archive: Uint8Array
}

/**
 * Fetches one commit without a checkout: no hook, no filter and no script of the repository runs,
 * and its bytes are those of git's objects.
 *
 * @returns `PARTS_NOT_FOUND` where the repository or the reference is not there
 */
export async function fetchCommit(
  { url, ref = 'HEAD', from }: Source & { kind: 'git' },
  context: RegistryContext,
): Promise<Result<FetchedCommit, Failure>> {
  const folder = await mkdtemp(join(tmpdir(), 'amodal-git-'))
  const git = new Git(folder, context)
  const fetched = await tryAsync(async () => {
    await git.run(['init', '--bare', '--quiet', '.'])
    await git.run(['fetch', '--quiet', '--depth', '1', '--no-tags', '--', url, ref])
    const commit = (await git.run(['rev-parse', '--verify', 'FETCH_HEAD^{commit}']))
      .toString('utf8')
      .trim()
    const archive = await git.run(['archive', '--format=tar', '--prefix=package/', commit])
    return { commit, archive }
  }, messageOf)
  await rm(folder, { recursive: true, force: true })
  return fetched.ok
    ? ok(fetched.value)
    : err(PartsNotFound(`${from} cannot be fetched: ${fetched.error}`))
}

class Git {
  readonly #folder: string
  readonly #context: RegistryContext

  constructor(folder: string, context: RegistryContext) {
    this.#folder = folder
    this.#context = context
  }

  async run(args: readonly string[]): Promise<Buffer> {
    const { env, signal } = this.#context
    const limit = timeLimit(LIMIT_MS, `git ${args[0]}`, signal)
    const settings = [
      'core.hooksPath=/dev/null',
      'core.autocrlf=false',
      'protocol.allow=never',
      'protocol.https.allow=always',
      'protocol.file.allow=always',
    ].flatMap((setting) => ['-c', setting])
    const child = spawn('git', [...settings, ...args], {
      cwd: this.#folder,
      env: {
        PATH: env['PATH'],
        HOME: env['HOME'],
        HTTPS_PROXY: env['HTTPS_PROXY'],
        GIT_TERMINAL_PROMPT: '0',
        GIT_CONFIG_NOSYSTEM: '1',
      },
      signal: limit,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let problem = ''
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes > LIMITS.unpacked * 2) child.kill('SIGKILL')
      else chunks.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problem = `${problem}${text}`.slice(0, MOST_MESSAGE)
    })
    const [code] = (await once(child, 'close')) as [code: number | null] // by its documentation
    if (code !== 0)
      throw new Error(
        bytes > LIMITS.unpacked * 2 ? 'it is too large' : `git ${args[0]}: ${problem.trim()}`,
      )
    return Buffer.concat(chunks)
  }
}
