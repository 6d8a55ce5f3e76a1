import { resolve } from 'node:path'
import {
  err,
  failure,
  LOCAL_TENANT,
  ok,
  SessionStore,
  type Command,
  type CommandContext,
  type Failure,
  type Kernel,
  type Result,
} from '@amodal/sdk'
import { Evals, newestRecordings, sessionDivergence } from '@amodal/plugin-evals/tokens'
import { errorText } from '../errors.ts'
import { unpackFile } from './unpack-file.ts'
import { countsLine, divergenceLines, type UpgradeCounts } from './upgrade-lines.ts'

type Recordings = Extract<Awaited<ReturnType<typeof newestRecordings>>, { ok: true }>['value']

type Divergence = ReturnType<typeof sessionDivergence>

const INTERRUPTED = 130
const SESSIONS = 20
const MOST = 1_000

/**
 * `amodal deploy upgrade FILE --dry-run`.
 *
 * @param folder where the snapshot is unpacked
 */
export function upgradeCommand(folder: string): Command {
  return {
    summary: 'Replay the newest sessions against a snapshot, and show where they diverge',
    usage: 'amodal deploy upgrade FILE --dry-run [--sessions N] [--json] [--dir PATH]',
    about: [
      'Repeats the messages of each session with the snapshot, in memory. Replies of the model and results of tools come from the journal: no model is called, no tool runs.',
      'Shows the first place where the snapshot does something else than what is journaled: another tool, other arguments, a tool that is not there, a call that a guard refuses.',
      'A prompt, a tool definition or a model that differs from that of the folder is shown, and does not count. With an embedded database, stop the server first.',
      'Exit code 0: every session does the same; 1: a session diverges or cannot be replayed; 2: the command line is wrong.',
    ],
    examples: [
      ['amodal deploy upgrade agent.tgz --dry-run', 'the newest 20 sessions of this folder'],
      ['amodal deploy upgrade agent.tgz --dry-run --sessions 200 --json', 'more of them, for CI'],
    ],
    options: {
      'dry-run': { type: 'boolean', description: 'Only compare; required' },
      sessions: { type: 'string', description: 'Sessions to replay, the newest; 20 by default' },
      json: { type: 'boolean', description: 'Print JSON: one line for each session, then counts' },
    },
    async run(context) {
      const count = sessionCount(context)
      if (!count.ok) {
        context.fail(count.error)
        return 2
      }
      const [file = ''] = context.arguments
      const unpacked = await unpackFile(resolve(file), folder, context.signal)
      if (!unpacked.ok) return failed(context, unpacked.error)
      const recordings = await readRecordings(context, count.value)
      if (!recordings.ok) return failed(context, recordings.error)
      return replayAll(context, unpacked.value, recordings.value)
    },
  }
}

function failed({ fail }: CommandContext, error: Failure): number {
  fail(errorText(error))
  return 1
}

/** Reads the command line. @returns how many sessions, or what is wrong with it */
function sessionCount({
  arguments: files,
  options: { 'dry-run': dryRun, sessions },
}: CommandContext): Result<number, string> {
  if (files.length !== 1) return err('name one file: amodal deploy upgrade FILE --dry-run')
  if (dryRun !== true)
    return err(
      'upgrade only compares: add --dry-run. To use a snapshot, send it with `amodal deploy push FILE` and give it to new sessions with `amodal deploy promote ID`',
    )
  if (typeof sessions !== 'string') return ok(SESSIONS)
  const count = Number(sessions)
  return Number.isSafeInteger(count) && count >= 1 && count <= MOST
    ? ok(count)
    : err(`--sessions: "${sessions}" is no number from 1 to ${MOST}`)
}

/** Reads the journals while nothing runs that could go on with a session. */
async function readRecordings(
  { signal, start }: CommandContext,
  count: number,
): Promise<Result<Recordings, Failure>> {
  const kernel = await start({ only: ['sessions'], without: ['http'] })
  const store = kernel.scope.find(SessionStore)
  if (!store)
    return err(
      failure('NOT_FOUND', 'this agent has its sessions in memory: nothing can be replayed'),
    )
  const recordings = await newestRecordings(store, LOCAL_TENANT, count, signal)
  await kernel.close('the journals are read')
  return recordings
}

async function replayAll(
  context: CommandContext,
  snapshot: string,
  recordings: Recordings,
): Promise<number> {
  const { dir, fail, print, signal } = context
  const isJson = context.options['json'] === true
  const parts = { without: ['http'], looking: true }
  const unchanged = evalsOf(await context.start(parts))
  const other = evalsOf(await context.start({ ...parts, dir: snapshot, stateDir: dir }))
  if (!unchanged || !other) {
    fail('no plugin replays sessions here (evals): add it to the preset or to amodal.json')
    return 1
  }
  const counts = { same: 0, otherRequests: 0, diverged: 0, failed: 0 }
  for (const recording of recordings) {
    const replayed = await replayBoth(recording, [unchanged, other], signal)
    if (signal.aborted) return INTERRUPTED
    if (!replayed.ok) {
      counts.failed++
      fail(`${recording.session}: ${errorText(replayed.error)}`)
      continue
    }
    const found = replayed.value
    counts[kindOf(found)]++
    if (isJson) print(JSON.stringify(found))
    else for (const line of divergenceLines(found)) print(line)
  }
  print(isJson ? JSON.stringify({ sessions: recordings.length, ...counts }) : countsLine(counts))
  return counts.diverged + counts.failed > 0 ? 1 : 0
}

/** Replays a session with the folder, then with the snapshot, and compares the two. */
async function replayBoth(
  recording: Recordings[number],
  [unchanged, other]: readonly [Evals, Evals],
  signal: AbortSignal,
): Promise<Result<Divergence, Failure>> {
  const before = await unchanged.baseline(recording, signal)
  if (!before.ok) return before
  const after = await other.baseline(recording, signal)
  return after.ok ? ok(sessionDivergence(before.value, after.value)) : after
}

const evalsOf = ({ scope }: Kernel): Evals | undefined => scope.find(Evals)

function kindOf({ act, request }: Divergence): keyof UpgradeCounts {
  if (act) return 'diverged'
  return request ? 'otherRequests' : 'same'
}
