import {
  err,
  ok,
  sessionId,
  SessionStore,
  type CommandContext,
  type Failure,
  type Json,
  type Result,
  type SessionId,
} from '@amodal/sdk'
import { EvalInvalid } from '../errors.ts'
import { readRecording, readStored, type ReadJournal, type Recording } from '../replay/recording.ts'
import type { ReplayReport } from '../replay/run-replay.ts'
import { plainLine } from '../report/plain-text.ts'
import { countsLine } from '../report/replay-counts.ts'
import { Evals } from '../tokens.ts'
import { replayChanged } from './replay-changed.ts'
import { readReplayOptions, type ReplayOptions, type Selected } from './replay-options.ts'
import { findSessions } from './session-query.ts'

const INTERRUPTED = 130

/** Replays sessions of the folder's database, as they were or with a changed agent. */
export async function replaySessions(context: CommandContext): Promise<number> {
  const { fail } = context
  const read = await readReplayOptions(context)
  if (!read.ok) {
    fail(read.error)
    return 2
  }
  const selected = await select(context, read.value)
  if (!selected.ok) {
    fail(`${selected.error.code}: ${selected.error.message}`)
    return 1
  }
  if (selected.value.length === 0) {
    fail('--sessions: no session is found')
    return 1
  }
  return read.value.changes.length > 0
    ? replayChanged(context, read.value, selected.value)
    : replayUnchanged(context, read.value, selected.value)
}

async function replayUnchanged(
  context: CommandContext,
  { json, query }: ReplayOptions,
  selected: readonly Selected[],
): Promise<number> {
  const { fail, print, signal } = context
  const kernel = await context.start({ without: ['http'], looking: true })
  const { replay } = kernel.scope.get(Evals)
  const counts = { same: 0, differ: 0, failed: 0 }
  for (const { recording, session } of selected) {
    const report = recording.ok ? await replay(recording.value, signal) : recording
    if (signal.aborted) return INTERRUPTED
    if (!report.ok) {
      counts.failed++
      fail(`${session}: ${report.error.code}: ${report.error.message}`)
      continue
    }
    counts[report.value.difference ? 'differ' : 'same']++
    if (json) print(JSON.stringify(report.value))
    else for (const line of linesOf(report.value)) print(line)
  }
  if (query && !json) print(countsLine(counts))
  return counts.differ + counts.failed > 0 ? 1 : 0
}

/** Reads the journals with nothing running that could go on with a session. */
async function select(
  { signal, start }: CommandContext,
  options: ReplayOptions,
): Promise<Result<readonly Selected[], Failure>> {
  const kernel = await start({ only: ['sessions'], without: ['http'] })
  const store = kernel.scope.find(SessionStore)
  if (!store)
    return err(EvalInvalid('this agent keeps its sessions in memory: there is nothing to replay'))
  const read = readStored(store, options.tenant, signal)
  const found = options.query
    ? await findSessions(store, options.tenant, options.query, {
        limit: options.limit,
        read,
        signal,
      })
    : ok([])
  if (!found.ok) return found
  const selected: Selected[] = []
  for (const session of new Set([...options.names.map(sessionId), ...found.value]))
    selected.push({ session, recording: await recordingOf(read, session) })
  await kernel.close('the journals are read')
  return ok(selected)
}

async function recordingOf(
  read: ReadJournal,
  session: SessionId,
): Promise<Result<Recording, Failure>> {
  const recording = await readRecording(read, session)
  return recording.ok && recording.value.entries.length === 0
    ? err(EvalInvalid(`there is no session "${session}"`))
    : recording
}

function linesOf({ difference, entries, problems, session }: ReplayReport): readonly string[] {
  if (!difference) return [`${session}: the same, ${entries} entries`]
  const { agents, field, kind, recorded, replayed, seq } = difference
  const where = [...agents, `entry ${seq}`].join('/')
  return [
    `${session}: differs at ${where} (${kind}${field === '' ? '' : `, ${field}`})`,
    `    recorded: ${shown(recorded)}`,
    `    replayed: ${shown(replayed)}`,
    ...problems.map((problem) => `    ${plainLine(problem)}`),
  ]
}

const shown = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : plainLine(JSON.stringify(value))
