import {
  err,
  failure,
  ok,
  sha256,
  type Agent,
  type AssetInput,
  type AssetRef,
  type AgentClient,
  type Caller,
  type Failure,
  type QueuedMessage,
  type RequestLimiter,
  type Result,
  type RouteContext,
  type SendRequest,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import { publicHeaders, sessionOfThread, turnStream, type StreamedTurn } from '@amodal/sdk/wire'
import { failed, IdempotencyKey, rateLimited, readJson } from '@amodal/plugin-http/tokens'
import { resumed, type Resumed } from './answers.ts'
import { eventText, type AgUiEvent, type Message } from './event.ts'
import { threadMessages } from './history.ts'
import { custom, Projection, type ProjectionStart } from './projection.ts'
import {
  newestMessage,
  runInput,
  type MessageLimits,
  type RunInput,
  type Said,
} from './run-input.ts'
import { userContent } from './shown.ts'

interface Thread {
  readonly client: AgentClient
  readonly caller: Caller
  readonly session: SessionId
  /** Left out: the session has to be made. */
  readonly view?: SessionView & { readonly queued: readonly QueuedMessage[] }
}
interface Run extends Thread {
  readonly input: RunInput
  readonly request: Request
}

/** What an `HttpAgent` asks for. */
export class Runs {
  readonly #agent: Agent
  readonly #limiter: RequestLimiter | undefined
  readonly #limits: MessageLimits

  constructor(agent: Agent, limiter: RequestLimiter | undefined, limits: MessageLimits) {
    this.#agent = agent
    this.#limiter = limiter
    this.#limits = limits
  }

  /** A message of the person, or answers to the interrupts of the run before. */
  async run(context: RouteContext, request: Request): Promise<Response> {
    const input = await readJson(request, runInput)
    if (!input.ok) return failed(input.error)
    const said = newestMessage(input.value, this.#limits)
    if (!said.ok) return failed(said.error)
    const thread = await this.#thread(context, input.value.threadId)
    if (!thread.ok) return failed(thread.error)
    const run = { ...thread.value, input: input.value, request }
    const { asks = [], entries = [] } = thread.value.view ?? {}
    const given = resumed(input.value.resume ?? [], asks, entries)
    if (!given.ok) return failed(given.error)
    const { answers, givesUp, since } = given.value
    if (said.value) {
      const settled = await settle(run, given.value)
      return settled.ok ? this.#send(run, said.value) : failed(settled.error)
    }
    if (answers.length > 0 || givesUp || since !== undefined) return this.#resume(run, given.value)
    return failed(
      failure(
        'VALIDATION_ERROR',
        'messages: the last one is no message of the user, and nothing is resumed that waits',
      ),
    )
  }

  /** Ends the run in progress. A client that only stops reading ends nothing. */
  async stop(context: RouteContext, name: string): Promise<Response> {
    const thread = await this.#thread(context, name)
    if (!thread.ok) return failed(thread.error)
    const { client, session, view } = thread.value
    if (!view) return Response.json({ ok: true, active: false })
    const stopped = await client.cancel(session)
    return stopped.ok
      ? Response.json({ ok: true, active: stopped.value.active })
      : failed(stopped.error)
  }

  /** The id of the run is the key of its message: the same run again is the same turn. */
  #send(run: Run, said: Said): Promise<Response> {
    const { client, caller, session, view, input, request } = run
    return rateLimited(this.#limiter, caller, async () => {
      const message: SendRequest = {
        session,
        ...(view ? {} : { create: true, headers: publicHeaders(request.headers) }),
        key: keyOf(input.runId),
        text: said.text,
        ...(said.assets.length > 0 && { assets: said.assets }),
        ...(input.context?.length && { context: contextOf(input.context) }),
      }
      // Without the request's signal: a client that disconnects does not cancel the message.
      const sent = await client.send(message)
      if (!sent.ok) return failed(sent.error)
      const { key, frames, isBehindQuestion } = sent.value
      const queued = isBehindQuestion && (await isQueued(client, session, key))
      return stream(run, { client, session, frames, ...(queued && { open: 'all' }) }, key, said)
    })
  }

  async #resume(run: Run, given: Resumed): Promise<Response> {
    const { client, session, view, input } = run
    const seq = given.since === undefined ? (view?.row.head ?? 0) : given.since - 1
    const from = { seq, fencingToken: 0, attempt: 0, n: 0 }
    // Before the answers, so that nothing of what follows is missed.
    const frames = await client.follow(session, from)
    if (!frames.ok) return failed(frames.error)
    const settled = await settle(run, given)
    if (!settled.ok) {
      frames.value.close()
      return failed(settled.error)
    }
    const answered = given.answers.map(({ id }) => id)
    const open = (view?.asks ?? []).map(({ id }) => id)
    const turn = { client, session, frames: frames.value, open, answered }
    return stream(run, turn, keyOf(input.runId))
  }

  async #thread(context: RouteContext, name: string): Promise<Result<Thread, Failure>> {
    const caller = context.caller()
    if (!caller.ok) return caller
    const client = this.#agent.as(caller.value)
    const { session, isDerived: made } = sessionOfThread(caller.value, name)
    const known = { client, caller: caller.value, session }
    const queued = await client.queued(session)
    if (!queued.ok)
      return made && queued.error.code === 'SESSION_NOT_FOUND' ? ok(known) : err(queued.error)
    const view = await client.session(session)
    return view.ok ? ok({ ...known, view: { ...view.value, queued: queued.value } }) : view
  }
}

/** Whether the turn of a message has not begun: one that is sent again may wait itself. */
async function isQueued(client: AgentClient, session: SessionId, key: string): Promise<boolean> {
  const queued = await client.queued(session)
  return queued.ok && queued.value.some((message) => message.key === key)
}

/** Gives the answers; where a question is given up, its run ends instead. */
async function settle(
  { client, session }: Thread,
  { answers, givesUp }: Resumed,
): Promise<Result<unknown, Failure>> {
  if (givesUp) return client.cancel(session)
  return answers.length === 0 ? ok(undefined) : client.answer(session, answers)
}

/** A run may be called anything; keys are short. */
const keyOf = (run: string): string =>
  IdempotencyKey.safeParse(run).success ? run : `run_${sha256(run)}`

const contextOf = (context: NonNullable<RunInput['context']>): Readonly<Record<string, string>> =>
  Object.fromEntries(context.map(({ description, value }) => [description, value]))

const WAITS = custom('warning', {
  code: 'RUN_ACTIVE',
  message:
    'a question of this session is open: this message is kept, and is answered once that is settled',
})

function stream(run: Run, turn: StreamedTurn, key: string, said?: Said): Response {
  const { input, session, view } = run
  const warnings: readonly AgUiEvent[] = [
    ...(turn.open === 'all' ? [WAITS] : []),
    ...(input.tools?.length
      ? [
          custom('warning', {
            tools: input.tools.map(({ name }) => name),
            message:
              'tools of the client are not offered to the model: the tools of the agent are its own',
          }),
        ]
      : []),
  ]
  const { messages, snapshots } = messagesOf(input, view, key, said)
  const projection = new Projection({
    threadId: input.threadId,
    runId: input.runId,
    session,
    key,
    messages,
    snapshots,
    ...(input.parentRunId && { parentRunId: input.parentRunId }),
  })
  return turnStream(turn, {
    begin: () => eventText(projection.begin(warnings)),
    frame: (frame) => eventText(projection.frame(frame)),
    parked: (asks) => eventText(projection.parked(asks)),
    end: (cut) => (cut ? eventText(projection.cut()) : ''),
  })
}

/**
 * The session's messages before this run, with the new one as the client calls it. A client that
 * has as many of the person is believed to have the same ones; another is told them.
 */
function messagesOf(
  input: RunInput,
  view: Thread['view'],
  key: string,
  said: Said | undefined,
): Pick<ProjectionStart, 'messages' | 'snapshots'> {
  const own = `${key}:user`
  const all = view ? threadMessages(view.entries, view.queued) : []
  // A run that is sent again stands in the history already.
  const begun = all.findIndex(({ id }) => id === own)
  const before = begun === -1 ? all : all.slice(0, begun)
  const mine: readonly Message[] = said
    ? [{ id: said.id, role: 'user', content: userContent(said.text, said.assets.map(shownAs)) }]
    : []
  const messages = [...before, ...mine]
  const count = (list: readonly { readonly role: string }[]): number =>
    list.filter(({ role }) => role === 'user').length
  // Reasoning and activities stay with the client, whatever it is told.
  const theirs = input.messages.filter(({ role }) => role !== 'activity' && role !== 'reasoning')
  return count(messages) === count(theirs)
    ? { messages: theirs, snapshots: [] }
    : { messages, snapshots: mine.length > 0 ? [before, messages] : [messages] }
}

/** A file as it was sent, before anything is known of it. */
const shownAs = (file: AssetInput): AssetRef =>
  'asset' in file
    ? { mediaType: 'application/octet-stream', bytes: 0, ...file }
    : { mediaType: 'application/octet-stream', bytes: 0, asset: '', ...file }
