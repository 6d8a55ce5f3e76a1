import {
  err,
  LOCAL_TENANT,
  ok,
  sessionId,
  SessionStore,
  tenantId,
  type CommandContext,
  type Failure,
  type Json,
  type Result,
} from '@amodal/sdk'
import { EvalInvalid } from '../errors.ts'
import { readRecording, readStored, type Recording } from '../replay/recording.ts'
import type { ReplayReport } from '../replay/run-replay.ts'
import { plainLine } from '../report/plain-text.ts'
import { Evals } from '../tokens.ts'

const INTERRUPTED = 130

/** Replays sessions of the folder's database. */
export async function replaySessions(context: CommandContext): Promise<number> {
  const { arguments: names, fail, options, print, signal } = context
  if (names.length === 0) {
    fail('say which session: amodal replay SESSION')
    return 2
  }
  const recordings = await recordingsOf(context, names)
  if (!recordings.ok) {
    fail(`${recordings.error.code}: ${recordings.error.message}`)
    return 1
  }
  const kernel = await context.start({ without: ['http'], looking: true })
  const { replay } = kernel.scope.get(Evals)
  let differs = false
  for (const recording of recordings.value) {
    const report = await replay(recording, signal)
    if (signal.aborted) return INTERRUPTED
    differs ||= !report.ok || report.value.difference !== undefined
    if (!report.ok) fail(`${recording.session}: ${report.error.code}: ${report.error.message}`)
    else if (options['json'] === true) print(JSON.stringify(report.value))
    else for (const line of linesOf(report.value)) print(line)
  }
  return differs ? 1 : 0
}

/** Reads the journals with nothing running that could go on with a session. */
async function recordingsOf(
  { options, signal, start }: CommandContext,
  names: readonly string[],
): Promise<Result<readonly Recording[], Failure>> {
  const kernel = await start({ only: ['sessions'], without: ['http'] })
  const sessions = kernel.scope.find(SessionStore)
  if (!sessions)
    return err(EvalInvalid('this agent keeps its sessions in memory: there is nothing to replay'))
  const { tenant } = options
  const read = readStored(
    sessions,
    typeof tenant === 'string' ? tenantId(tenant) : LOCAL_TENANT,
    signal,
  )
  const recordings: Recording[] = []
  for (const name of names) {
    const recording = await readRecording(read, sessionId(name))
    if (!recording.ok) return recording
    if (recording.value.entries.length === 0)
      return err(EvalInvalid(`there is no session "${name}"`))
    recordings.push(recording.value)
  }
  await kernel.close('the journals are read')
  return ok(recordings)
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
