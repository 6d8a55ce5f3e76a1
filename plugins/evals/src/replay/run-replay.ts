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
  { agent, replays }: ReplayParts,
  replay: Replay,
  session: SessionId,
  signal: AbortSignal,
): Promise<Result<Recording, Failure>> {
  const { recording, tenant } = replay
  const [first] = ofKind(recording.entries, 'user_message')
  if (!first) return err(EvalInvalid(`${recording.session} has no message to replay`))
  const client = agent.as({ tenant, principal: first.principal })
  replays.add(replay)
  try {
    const repeated = await repeat(client, replay, session, signal)
    return repeated.ok ? await readRecording(readAs(client), session) : repeated
  } finally {
    await client.cancel(session)
    await client.remove(session)
    replays.remove(replay)
  }
}

export const sizeOf = ({ children, entries }: Recording): number =>
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
    // The recording ends with a question that nobody has answered; or no more steps are wanted.
    if (!settled.value || replay.course?.stopped !== undefined) break
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
    const isAwaited = (ask: PendingAsk): boolean =>
      isLive(replay, session, ask) || answers.some(({ id }) => id === ask.id)
    if (!open.some(isAwaited)) return ok(false)
    if (answers.length > 0) {
      const answered = await client.answer(session, answers, signal)
      if (!answered.ok) return answered
    }
    const still = await openAfter(client, session, { before: open, isAwaited }, signal)
    if (!still.ok) return still
    if (!still.value) return ok(false)
    open = still.value
  }
  return ok(true)
}

/** A tap answers what the model itself has led to. */
const isLive = (replay: Replay, session: SessionId, { child }: PendingAsk): boolean =>
  replay.course?.isLive(child ?? session) === true

function answerTo(replay: Replay, session: SessionId, ask: PendingAsk): AskAnswer | undefined {
  if (isLive(replay, session, ask)) return undefined
  const { call, child, id, type } = ask
  const playback = replay.playback({ session: child ?? session })
  const recorded = child ? playback?.nextAnswerTo(type) : playback?.nextAnswer(type, call)
  return recorded && { id, answer: recorded.answer }
}

interface Awaiting {
  readonly before: readonly PendingAsk[]
  /** Whether an answer is on its way. */
  readonly isAwaited: (ask: PendingAsk) => boolean
}

/**
 * Questions that are open once the run has ended, or waits for somebody else.
 *
 * @returns `undefined`: it waits for answers that nobody has given
 */
async function openAfter(
  client: AgentClient,
  session: SessionId,
  { before, isAwaited }: Awaiting,
  signal: AbortSignal,
): Promise<Result<readonly PendingAsk[] | undefined, Failure>> {
  for (;;) {
    const frames = await client.follow(session, undefined, undefined, signal)
    if (!frames.ok) return frames
    while (await frames.value.wait()) frames.value.take()
    const view = await client.session(session, signal)
    if (!view.ok) return view
    const { asks, state } = view.value
    const unanswered = asks.filter(({ answered }) => answered !== true)
    const open = unanswered.filter(({ id }) => !before.some((one) => one.id === id))
    if (state === 'idle' || open.length > 0) return ok(open)
    if (unanswered.length > 0 && !unanswered.some(isAwaited)) return ok(undefined)
  }
}
