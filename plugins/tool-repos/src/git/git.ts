import { spawn } from 'node:child_process'
import { deadline, err, ok, timeLimit, type Failure, type Logger, type Result } from '@amodal/sdk'
import { RepoGitUnusable, RepoUnavailable } from '../errors.ts'
import { GitProcess, type GitExit } from './git-process.ts'
import { environment, settingArguments } from './git-settings.ts'

export interface GitOptions {
  /** Where programs are looked for, as in `PATH`. */
  readonly path: () => string
  readonly memoryMb: number
  /** Bytes of the largest file that git may write. */
  readonly maxFileBytes: number
  readonly timeoutMs: number
  readonly log: Logger
}

export interface GitCall {
  /** The folder of the repository. */
  readonly folder: string
  readonly args: readonly string[]
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Bytes of output of a call that is not streamed. */
const MAX_OUTPUT = 8 * 1_048_576
const BLOCK = 512
/** The exit code of a shell that finds no such program. */
const NOT_FOUND = 127
const OLDEST = { major: 2, minor: 37 }
const VERSION_MS = 10_000

/**
 * Lowers what the process may take, then becomes git. A limit that is lower already cannot be
 * raised, and stays.
 */
const LIMITED =
  'ulimit -c 0; ulimit -d "$1" 2> /dev/null; ulimit -f "$2" 2> /dev/null; shift 2; exec "$@"'

/** Runs the git of the system, cut off from the configuration of the machine and its users. */
export class Git {
  readonly #options: GitOptions
  #usable: Promise<Result<string, Failure>> | undefined

  constructor(options: GitOptions) {
    this.#options = options
  }

  /** The version of git, which is looked up once; `REPO_GIT_UNUSABLE` where it cannot be used. */
  async version(): Promise<Result<string, Failure>> {
    this.#usable ??= this.#lookUp()
    const usable = await this.#usable
    // It may be installed while the server runs.
    if (!usable.ok) this.#usable = undefined
    return usable
  }

  async #lookUp(): Promise<Result<string, Failure>> {
    const limit = timeLimit(VERSION_MS, 'git --version')
    const output = await this.output({ folder: '/', args: ['--version'] }, limit)
    if (!output.ok) return err(this.unavailable('git --version', output.error))
    const text = output.value.toString('utf8').trim()
    const [, version = '', major, minor] = /((\d+)\.(\d+)[\w.]*)/.exec(text) ?? []
    const isUsable =
      Number(major) > OLDEST.major ||
      (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)
    return isUsable
      ? ok(version)
      : err(RepoGitUnusable(`the server has ${text}, and 2.37 or newer is needed`))
  }

  /** A process whose input and output are streams. It ends when `signal` aborts. */
  start(
    { folder, args, env = {} }: Omit<GitCall, 'input'>,
    signal: AbortSignal,
    settings: readonly string[] = [],
  ): GitProcess {
    const { path, memoryMb, maxFileBytes } = this.#options
    const limits = [String(memoryMb * 1_024), String(Math.ceil(maxFileBytes / BLOCK))]
    const git = ['git', ...settingArguments(folder), ...settings.flatMap((s) => ['-c', s]), ...args]
    const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', ...limits, ...git], {
      cwd: '/',
      env: { ...environment(path()), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    return new GitProcess(child, signal)
  }

  /** The output of a command; the error is how git ended, or that it wrote too much. */
  async output(call: GitCall, signal: AbortSignal): Promise<Result<Buffer, GitExit>> {
    const limit = deadline(signal, this.#options.timeoutMs, `git ${call.args[0]}`)
    const child = this.start(call, limit.signal)
    child.stdin.end(call.input ?? '')
    const chunks: Buffer[] = []
    let bytes = 0
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes <= MAX_OUTPUT) chunks.push(chunk)
      else child.stop()
    })
    const closed = new Promise<void>((resolve) => child.stdout.once('close', resolve))
    const exit = await child.exited
    await closed
    limit.clear()
    if (bytes > MAX_OUTPUT) return err({ code: null, problem: 'the output is too large' })
    return exit.code === 0 ? ok(Buffer.concat(chunks)) : err(exit)
  }

  /** The failure of a command that does not fail unless something is wrong with the server. */
  unavailable(what: string, { code, problem }: GitExit): Failure {
    this.#options.log.warn('tool_repos.git_failed', { what, code, problem })
    return code === NOT_FOUND
      ? RepoGitUnusable('there is no `git` on the server')
      : RepoUnavailable(`${what} did not succeed; the log of the server says why`)
  }
}
