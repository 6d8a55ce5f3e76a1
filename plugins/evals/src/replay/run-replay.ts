import { randomBytes } from 'node:crypto'
import {
  err,
  hashOf,
  ok,
  tenantId,
  type Agent,
  type AgentClient,
  type AskId,
  type Failure,
  type Result,
  type SequencedEntry,
  type SessionId,
  type TenantId,
  type UserMessage,
} from '@amodal/sdk'
import { newSessionId } from '@amodal/sdk/loop'
import { EvalInvalid } from '../errors.ts'
import { firstDifference, type EntryDifference } from './compare.ts'
import { ofKind, readAs, readRecording, type Recording } from './recording.ts'
import { Replay, stateOf, type Replays } from './replay.ts'

export interface ReplayParts {
  readonly agent: Agent
  readonly replays: Replays
  /** Of the person for whom it is replayed; left out: everything may be used. */
  readonly roles?: readonly string[]
}

/** What came of a replay. */
export interface ReplayReport {
  readonly session: SessionId
  /** Entries of the recorded journal, sub-agents included. */
  readonly entries: number
  /** Left out: the journal is the same. */
  readonly difference?: EntryDifference
  /** What was asked for, and the recording does not have. */
  readonly problems: readonly string[]
}

/**
 * Repeats a conversation in a tenant of its own: its messages, with the recorded answers of model,
 * tools and people. No model is asked, no tool is called, and nothing of it is left.
 */
export async function runReplay(
  parts: ReplayParts,
  recording: Recording,
  signal: AbortSignal,
): Promise<Result<ReplayReport, Failure>> {
  const replay = new Replay(replayTenant(), recording)
  const replayed = await playThrough(parts, replay, newSessionId(), signal)
  if (!replayed.ok) return replayed
  const difference = firstDifference(recording, replayed.value)
  return ok({
    session: recording.session,
    entries: sizeOf(recording),
    problems: replay.problems,
    ...(difference && { difference }),
  })
}

/** The tenant of one replay. */
export const replayTenant = (): TenantId => tenantId(`replay-${randomBytes(8).toString('hex')}`)

/**
 * Has the agent go through a recorded conversation.
 *
 * @param session the one that repeats it
 * @returns the journal that came of it; the session itself is gone
 */
export async function playThrough(
  { agent, replays, roles }: ReplayParts,
  replay: Replay,
  session: SessionId,
  signal: AbortSignal,
): Promise<Result<Recording, Failure>> {
  const { recording, tenant } = replay
  const [first] = ofKind(recording.entries, 'user_message')
  if (!first) return err(EvalInvalid(`${recording.session} has no message to replay`))
  const client = agent.as({ tenant, principal: first.principal, ...(roles && { roles }) })
  replays.add(replay)
  try {
    const repeated = await repeat(client, replay, session, signal)
    if (!repeated.ok) return repeated
    const replayed = await readRecording(readAs(client), session)
    return replayed.ok ? ok(upToUnanswered(replayed.value, replay.unanswered)) : replayed
  } finally {
    await client.cancel(session)
    await client.remove(session)
    replays.remove(replay)
  }
}

export const sizeOf = ({ children, entries }: Recording): number =>
  children.reduce((sum, child) => sum + sizeOf(child.recording), entries.length)

/** Sends the recorded messages one after the other. */
async function repeat(
  client: AgentClient,
  replay: Replay,
  session: SessionId,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  replay.begin(session)
  for (const [index, message] of ofKind(replay.recording.entries, 'user_message').entries()) {
    const turn = await client.ask(requestOf(replay, session, message, index), signal)
    if (!turn.ok) return turn
    const settled = await settle(client, session, signal)
    if (!settled.ok) return settled
    // The recording ends with a question that nobody has answered; or no more steps are wanted.
    if (replay.unanswered.size > 0 || replay.course?.stopped !== undefined) break
  }
  return ok(undefined)
}

const requestOf = (
  replay: Replay,
  session: SessionId,
  { context, session_state: state, text }: UserMessage,
  index: number,
) => ({
  session,
  create: index === 0,
  text,
  key: hashOf([replay.tenant, index]).slice(0, 32),
  sessionState: { ...state, ...stateOf(replay) },
  ...(context && { context }),
})

/** Waits for the end of the run: a tap answers its questions, as they were answered. */
async function settle(
  client: AgentClient,
  session: SessionId,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  for (;;) {
    const view = await client.session(session, signal)
    if (!view.ok) return view
    if (view.value.state === 'idle') return ok(undefined)
    const frames = await client.follow(session, undefined, undefined, signal)
    if (!frames.ok) return frames
    while (await frames.value.wait()) frames.value.take()
  }
}

/**
 * The journal up to the answers that the replay itself has given, where nobody had answered: what
 * follows happened only in the replay.
 */
function upToUnanswered(recording: Recording, unanswered: ReadonlySet<AskId>): Recording {
  const { children, entries } = recording
  const isOwn = (entry: SequencedEntry): boolean =>
    entry.kind === 'input_answered' && unanswered.has(entry.ask)
  const at = entries.findIndex(isOwn)
  const after = at === -1 ? [] : entries.slice(at)
  const end = after.findIndex(({ kind }) => kind !== 'input_answered')
  const answers = after.slice(0, end === -1 ? after.length : end)
  return {
    ...recording,
    entries:
      at === -1 ? entries : [...entries.slice(0, at), ...answers.filter((entry) => !isOwn(entry))],
    children: children.map(({ prompt, recording: child }) => ({
      prompt,
      recording: upToUnanswered(child, unanswered),
    })),
  }
}
