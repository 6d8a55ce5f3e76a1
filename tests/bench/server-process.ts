/**
 * Starts the processes of a benchmark, each on the core of its role, and sees to it that they end.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import type { Window } from './load.ts'
import { cpuTime, freePort, peakMemory, pinned, type Role } from './machine.ts'
import type { Memory, Probe } from './probe.ts'

export interface ServerProcess {
  readonly pid: number
  readonly port: number
  /** Where a chat is posted to. */
  readonly chatUrl: string
  /** Milliseconds from the spawn to the line `ready`. */
  readonly startedIn: number
  /** Milliseconds of processor time since the spawn. */
  cpu(): number
  /** Bytes in RAM that it has had at most. */
  peak(): number
  /** What the process holds after a collection. */
  memory(): Promise<Memory>
  /** Requests taken so far; the model server counts them. */
  requests(): Promise<number>
  /** Records where processor time goes while `work` runs, into a file for Chrome's tools. */
  profile(file: string, work: () => Promise<void>): Promise<void>
  /** Asks it to end with SIGTERM, insists after ten seconds. */
  stop(): Promise<void>
}

export interface ServerCommand {
  /** A file, from here. */
  readonly file: string
  readonly args: readonly string[]
  readonly role: Role
  /**
   * The line that says it listens, and as the first group on which port. Default: `ready <port>`.
   */
  readonly ready?: RegExp
  /** A module from here that is loaded first. */
  readonly preload?: string
  /** The folder of Node's compile cache, which a process fills as it ends. */
  readonly compileCache: string
}

/** Milliseconds a server may take until it is ready. */
const startDeadline = 60_000

/**
 * Starts a server that takes `--port` and says when it listens. The port is one that nobody
 * answered on a moment before. The environment holds nothing else, so that no key or setting of
 * yours counts.
 */
export async function startServer({
  file,
  args,
  role,
  preload,
  compileCache,
  ready = /^ready (\d+)$/m,
}: ServerCommand): Promise<ServerProcess> {
  const port = await freePort()
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache }
  const started = performance.now()
  const first = preload === undefined ? [] : ['--import', new URL(preload, import.meta.url).href]
  const words = [
    ...pinned(role),
    process.execPath,
    ...first,
    path(file),
    ...args,
    '--port',
    String(port),
  ]
  const [command = '', ...rest] = words
  const child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const { pid } = child
  if (pid === undefined) throw new Error(`${file} did not start`)
  try {
    const announced = await readyLine(child, file, ready)
    if (announced !== port) throw new Error(`${file} listens on ${announced} and was told ${port}`)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    pid,
    port,
    chatUrl: `http://127.0.0.1:${port}/chat/stream`,
    startedIn: performance.now() - started,
    cpu: () => cpuTime(pid),
    peak: () => peakMemory(pid),
    memory: async () => (await ask(child, { ask: 'memory' })) as Memory,
    requests: async () => (await ask(child, { ask: 'requests' })) as number,
    async profile(file, work) {
      await ask(child, { ask: 'profile-start' })
      await work()
      await ask(child, { ask: 'profile-end', file })
    },
    stop: () => stop(child),
  }
}

/** The options of `load.ts`, by their names there. */
export interface LoadOptions {
  readonly clients: number
  readonly message: string
  readonly seconds?: number
  readonly warmup?: number
  readonly turns?: number
  readonly padding?: number
  readonly 'turns-per-session'?: number
  readonly sessions?: readonly string[]
  readonly deadline?: number
}

/** Runs the load generator against a server and returns its window, void or not. */
export async function load(
  server: Pick<ServerProcess, 'chatUrl' | 'pid'>,
  options: LoadOptions,
): Promise<Window> {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const target = ['--url', server.chatUrl, '--pid', String(server.pid)]
  const [command = '', ...rest] = [
    ...pinned('load'),
    process.execPath,
    path('load.ts'),
    ...target,
    ...flags,
  ]
  const { stdout } = await promisify(execFile)(command, rest, { maxBuffer: 2 ** 24 })
  return JSON.parse(stdout) as Window
}

/** The same, and throws where the window is void. */
export async function cleanLoad(
  server: Pick<ServerProcess, 'chatUrl' | 'pid'>,
  options: LoadOptions,
): Promise<Window> {
  const window = await load(server, options)
  if (window.failed > 0)
    throw new Error(`${window.failed} turns failed, the first with ${window.firstProblem}`)
  return window
}

async function readyLine(child: ChildProcess, file: string, ready: RegExp): Promise<number> {
  let said = ''
  let wrong = ''
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (chunk: string) => (wrong = (wrong + chunk).slice(-4000)))
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(new Error(`${file} is not ready after ${startDeadline / 1000} s:\n${wrong}`)),
      startDeadline,
    )
    child.once('exit', (code) =>
      reject(new Error(`${file} ended with ${code} before it was ready:\n${wrong}`)),
    )
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4000)
      const port = ready.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once('exit', () => clearTimeout(deadline))
    deadline.unref()
  })
}

async function ask(child: ChildProcess, probe: Probe): Promise<unknown> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(30_000) })
  child.send(probe)
  const [{ value }] = (await answer) as [{ value: unknown }]
  return value
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(insist)
}

function path(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
