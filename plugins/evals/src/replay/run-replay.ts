import { randomBytes } from 'node:crypto'
import {
  err,
  hashOf,
  ok,
  tenantId,
  type Agent,
  type AgentClient,
  type AskAnswer,
  type Failure,
  type PendingAsk,
  type Result,
  type SessionId,
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
  { agent, replays }: ReplayParts,
  recording: Recording,
  signal: AbortSignal,
): Promise<Result<ReplayReport, Failure>> {
  const [first] = ofKind(recording.entries, 'user_message')
  if (!first) return err(EvalInvalid(`${recording.session} has no message to replay`))
  const tenant = tenantId(`replay-${randomBytes(8).toString('hex')}`)
  const client = agent.as({ tenant, principal: first.principal })
  const replay = new Replay(tenant, recording)
  const session = newSessionId()
  replays.add(replay)
  try {
    const repeated = await repeat(client, replay, session, signal)
    if (!repeated.ok) return repeated
    const replayed = await readRecording(readAs(client), session)
    if (!replayed.ok) return replayed
    const difference = firstDifference(recording, replayed.value)
    return ok({
      session: recording.session,
      entries: sizeOf(recording),
      problems: replay.problems,
      ...(difference && { difference }),
    })
  } finally {
    await client.cancel(session)
    await client.remove(session)
    replays.remove(replay)
  }
}

const sizeOf = ({ children, entries }: Recording): number =>
  children.reduce((sum, child) => sum + sizeOf(child.recording), entries.length)

/** Sends the recorded messages one after the other, and answers what people were asked. */
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
    const settled = await settle(client, replay, session, turn.value.pending, signal)
    if (!settled.ok) return settled
    // The recording ends with a question that nobody has answered.
    if (!settled.value) break
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

/**
 * Answers questions as they were answered, until none is open.
 *
 * @returns `false`: one of them was never answered
 */
async function settle(
  client: AgentClient,
  replay: Replay,
  session: SessionId,
  pending: readonly PendingAsk[],
  signal: AbortSignal,
): Promise<Result<boolean, Failure>> {
  let open: readonly PendingAsk[] = pending.filter(({ answered }) => answered !== true)
  while (open.length > 0) {
    const answers = open.flatMap((ask) => answerTo(replay, session, ask) ?? [])
    if (answers.length === 0) return ok(false)
    const answered = await client.answer(session, answers, signal)
    if (!answered.ok) return answered
    const still = await openAfter(client, session, open, signal)
    if (!still.ok) return still
    open = still.value
  }
  return ok(true)
}

function answerTo(
  replay: Replay,
  session: SessionId,
  { call, child, id, type }: PendingAsk,
): AskAnswer | undefined {
  const playback = replay.playback({ session: child ?? session })
  const recorded = child ? playback?.nextAnswerTo(type) : playback?.nextAnswer(type, call)
  return recorded && { id, answer: recorded.answer }
}

/** Questions that are open once the run has ended, or waits for somebody else. */
async function openAfter(
  client: AgentClient,
  session: SessionId,
  before: readonly PendingAsk[],
  signal: AbortSignal,
): Promise<Result<readonly PendingAsk[], Failure>> {
  for (;;) {
    const frames = await client.follow(session, undefined, undefined, signal)
    if (!frames.ok) return frames
    while (await frames.value.wait()) frames.value.take()
    const view = await client.session(session, signal)
    if (!view.ok) return view
    const { asks, state } = view.value
    const open = asks.filter(
      ({ answered, id }) => answered !== true && !before.some((one) => one.id === id),
    )
    if (state === 'idle' || open.length > 0) return ok(open)
  }
}
