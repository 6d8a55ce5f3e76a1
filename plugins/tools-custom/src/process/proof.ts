import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  sleep,
  tryAsync,
  type Failure,
  type JsonObject,
  type Result,
  timeLimit,
} from '@amodal/sdk'
import { z } from 'zod'
import type { HandlerProcess, Outcome } from './handler-process.ts'
import { ATTEMPT_NAMES, claimsOf, type Attempt, type Sandbox } from './levels.ts'
import type { Machine } from './launcher.ts'

/** The outcome of each attempt, made from inside a real handler process. */
export interface Proof {
  readonly sandbox: Sandbox
  readonly attempts: Readonly<Record<Attempt, 'stopped' | 'reached'>>
  /** What the sandbox is said to stop, and does not; where there is nothing, the proof holds. */
  readonly missing: readonly Attempt[]
}

/** Starts a process with the handler of `child/attempts.ts` in it. */
export type StartAttempts = (
  machine: Machine,
  signal: AbortSignal,
) => Promise<Result<HandlerProcess, Failure>>

const Said = z.object({ environments: z.array(z.string()), read: z.array(z.string().nullable()) })
/** In the data folder of an agent. */
const KEYS = ['master-key', 'audit/signing-key.pem', 'local-token'] as const
const PROOF_MS = 30_000
/** For a process that is being ended to be gone. */
const GONE_MS = 2_000

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Attempts, from a handler process in this sandbox, what no handler may do, and verifies the result
 * from outside. Files that the server can read and a listening port exist as targets, so a target
 * that was not reached was blocked.
 *
 * @param root of the agent: its own `.env` and keys are tried, too
 */
export async function prove(
  machine: Machine,
  network: boolean,
  root: string | undefined,
  start: StartAttempts,
  signal: AbortSignal,
): Promise<Result<Proof, Failure>> {
  const { sandbox } = machine
  const made = await tryAsync(
    () => attempted(machine, root, start, signal),
    (cause) =>
      failure('NOT_ISOLATED', `${sandbox}: it could not be tried: ${messageOf(cause)}`, { cause }),
  )
  if (!made.ok) return made
  if (!made.value.ok)
    return err(
      failure(
        'NOT_ISOLATED',
        `${sandbox}: nothing could be tried in it: ${made.value.error.message}`,
      ),
    )
  const reached = made.value.value
  const attempts = Object.fromEntries(
    ATTEMPT_NAMES.map((name) => [name, reached.has(name) ? 'reached' : 'stopped']),
  ) as Proof['attempts'] // of all names
  return ok(
    Object.freeze({
      sandbox,
      attempts,
      missing: claimsOf(sandbox, network).filter((name) => reached.has(name)),
    }),
  )
}

async function attempted(
  machine: Machine,
  root: string | undefined,
  start: StartAttempts,
  signal: AbortSignal,
): Promise<Result<ReadonlySet<Attempt>, Failure>> {
  if (process.platform !== 'linux')
    return err(failure('NOT_ISOLATED', 'only Linux can keep handlers apart'))
  const marker = `amodal-${randomUUID()}`
  const bait = await mkdtemp(join(tmpdir(), 'amodal-proof-'))
  let connected = false
  const server = createServer((socket) => {
    socket
      .on('data', (chunk: Buffer) => {
        connected ||= chunk.toString().includes(marker)
      })
      .on('error', () => undefined)
  })
  try {
    await writeFile(join(bait, '.env'), `BAIT=${marker}\n`, { mode: 0o600 })
    await mkdir(join(bait, '.amodal'), { mode: 0o700 })
    await writeFile(join(bait, '.amodal/master-key'), marker, { mode: 0o600 })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const dotenv = await readable(
      [bait, root].flatMap((dir) => (dir === undefined ? [] : [join(dir, '.env')])),
    )
    const keys = await readable(
      [join(bait, '.amodal'), ...(root === undefined ? [] : [join(root, '.amodal')])].flatMap(
        (dir) => KEYS.map((name) => join(dir, name)),
      ),
    )
    const write = [
      bait,
      ...(root === undefined ? [] : [root, join(root, '.amodal'), join(root, 'tools')]),
    ].map((dir) => join(dir, `.${marker}`))
    const read = [...dotenv, ...keys]

    const started = await start(machine, signal)
    if (!started.ok) return started
    const handler = started.value
    const params: JsonObject = {
      server: process.pid,
      read: read.map(({ file }) => file),
      write,
      port: typeof address === 'object' && address !== null ? address.port : 0,
      marker,
    }
    const outcome = await handler.call(
      {
        params,
        context: {
          user: { roles: [] },
          agentId: '',
          scopeId: '',
          sessionId: '',
          state: {},
          offers: [],
        },
      },
      NO_HELP,
      timeLimit(PROOF_MS, 'the proof of isolation', signal),
    )
    handler.kill('it has tried what it could')
    await handler.ended
    if (outcome.kind !== 'result')
      return err(
        failure(
          'NOT_ISOLATED',
          outcome.kind === 'lapsed' ? 'the handler was not called' : whyFailed(outcome),
        ),
      )
    const said = Said.parse(outcome.value)
    const own = await readFile('/proc/self/environ')
    const got = (files: Awaited<ReturnType<typeof readable>>, from: number): boolean =>
      files.some(({ hash }, index) => said.read[from + index] === hash)
    const reached = new Set<Attempt>()
    if (said.environments.includes(hashOf(own)) && own.length > 0) reached.add('environment')
    if (got(dotenv, 0)) reached.add('dotenv')
    if (got(keys, dotenv.length)) reached.add('keys')
    for (const file of write)
      if (
        await readFile(file, 'utf8').then(
          (text) => text === marker,
          () => false,
        )
      ) {
        reached.add('write')
        await rm(file, { force: true })
      }
    if (connected) reached.add('loopback')
    if (await leftBehind(marker)) reached.add('child')
    return ok(reached)
  } finally {
    server.close()
    await rm(bait, { recursive: true, force: true })
  }
}

/** Those that the server can read, with what stands in them. */
async function readable(
  files: readonly string[],
): Promise<readonly { readonly file: string; readonly hash: string }[]> {
  const found = await Promise.all(
    files.map(async (file) => ({ file, bytes: await readFile(file).catch(() => Buffer.alloc(0)) })),
  )
  return found
    .filter(({ bytes }) => bytes.length > 0)
    .map(({ file, bytes }) => ({ file, hash: hashOf(bytes) }))
}

/** Whether a process with this mark is still there when all should be gone; it is ended, then. */
async function leftBehind(marker: string): Promise<boolean> {
  const until = performance.now() + GONE_MS
  for (;;) {
    const left = await marked(marker)
    if (left.length === 0) return false
    if (performance.now() > until) {
      for (const pid of left) process.kill(pid, 'SIGKILL')
      return true
    }
    await sleep(50)
  }
}

async function marked(marker: string): Promise<readonly number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name) =>
      (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).includes(marker)
        ? [Number(name)]
        : [],
    ),
  )
  return found.flat()
}

const whyFailed = (outcome: Extract<Outcome, { kind: 'threw' | 'died' }>): string =>
  outcome.kind === 'died' ? outcome.reason : outcome.message

const NO_HELP = {
  request: () => Promise.resolve(err({ code: 'TOOL_DENIED', message: 'nothing is done for it' })),
  notify: () => undefined,
}
