import {
  err,
  ok,
  sha256,
  sleep,
  type Agent,
  type AgentClient,
  type AskId,
  type Caller,
  type FrameCursor,
  type JsonObject,
  type RequestLimiter,
  type Result,
  type SendRequest,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import { readTurn, sessionOfThread, turnStream, type StreamedTurn } from '@amodal/sdk/wire'
import { a2aError, NO_TASK, type OperationError } from './a2a-error.ts'
import { readMessage, type MessageRequest, type WireLimits } from './message-request.ts'
import type { PushConfigs } from './push-configs.ts'
import { answersIn } from './task-answers.ts'
import { readTaskId, taskId, type TaskPlace } from './task-id.ts'
import { TaskWriter, type ParkedTask, type Wrap } from './task-writer.ts'
import { acceptedTask, isOver, taskIn, taskObject, taskState, type TaskView } from './task.ts'

type Outcome<T> = Promise<Result<T, OperationError>>

/** Looks for the end of a task that is cancelled, and ms between two. */
const LOOKS = 100
const LOOK_MS = 50

export interface TaskParts {
  readonly agent: Agent
  readonly clock: { now(): number }
  readonly limiter: RequestLimiter | undefined
  readonly limits: WireLimits
  /** Left out where nothing can be pushed. */
  readonly configs: PushConfigs | undefined
}

/** A task that was begun or goes on, and its frames. */
interface Begun {
  readonly client: AgentClient
  readonly view: TaskView
  readonly frames: FrameCursor
  /** Questions that were open before; `all`: another run waits. */
  readonly open?: readonly AskId[] | 'all'
  readonly answered: readonly AskId[]
}

/** The operations on tasks, for any binding of the protocol. */
export class Tasks {
  readonly #parts: TaskParts

  constructor(parts: TaskParts) {
    this.#parts = parts
  }

  /** Sends a message; its task at its end, where it waits, or at once. */
  async send(caller: Caller, body: unknown, signal: AbortSignal): Outcome<JsonObject> {
    const begun = await this.#begin(caller, body)
    if (!begun.ok) return begun
    const { request, task } = begun.value
    const { client, view, frames } = task
    const { historyLength, returnImmediately } = request
    if (returnImmediately) {
      frames.close()
      return ok({ task: taskObject(view, { historyLength }) })
    }
    const { turn, writer } = written(task, (event) => event)
    await readTurn(turn, writer, signal)
    const ended = await this.#find(client, taskId(view.place))
    return ended.ok ? ok({ task: taskObject(ended.value, { historyLength }) }) : ended
  }

  async stream(caller: Caller, body: unknown, wrap: Wrap): Outcome<Response> {
    const begun = await this.#begin(caller, body)
    return begun.ok ? ok(this.#stream(begun.value.task, wrap)) : begun
  }

  /** The task as it stands, and what comes of it. A reader that leaves cancels nothing. */
  async subscribe(caller: Caller, id: string, wrap: Wrap): Outcome<Response> {
    const client = this.#parts.agent.as(caller)
    const found = await this.#find(client, id)
    if (!found.ok) return found
    const view = found.value
    if (isOver(view.state))
      return err(a2aError('UNSUPPORTED_OPERATION', 'the task is over: nothing more comes of it'))
    const frames = await this.#follow(client, view)
    return frames.ok
      ? ok(this.#stream({ client, view, frames: frames.value, answered: [] }, wrap))
      : frames
  }

  async get(caller: Caller, id: string, historyLength?: number): Outcome<JsonObject> {
    const found = await this.#find(this.#parts.agent.as(caller), id)
    return found.ok ? ok(taskObject(found.value, { historyLength })) : found
  }

  async cancel(caller: Caller, id: string): Outcome<JsonObject> {
    const client = this.#parts.agent.as(caller)
    const found = await this.#find(client, id)
    if (!found.ok) return found
    if (isOver(found.value.state))
      return err(a2aError('TASK_NOT_CANCELABLE', 'the task is over already'))
    const cancelled = await client.cancel(found.value.place.session)
    if (!cancelled.ok) return cancelled
    for (let look = 0; ; look++) {
      const now = await this.#find(client, id)
      if (!now.ok || look >= LOOKS || isOver(now.value.state))
        return now.ok ? ok(taskObject(now.value)) : now
      await sleep(LOOK_MS)
    }
  }

  /** A task that the caller has, with its client. */
  async place(
    caller: Caller,
    id: string,
  ): Outcome<{ readonly client: AgentClient; readonly place: TaskPlace }> {
    const client = this.#parts.agent.as(caller)
    const found = await this.#find(client, id)
    return found.ok ? ok({ client, place: found.value.place }) : found
  }

  async #begin(
    caller: Caller,
    body: unknown,
  ): Outcome<{ readonly request: MessageRequest; readonly task: Begun }> {
    const request = readMessage(body, this.#parts.limits)
    if (!request.ok) return request
    const permit = await this.#parts.limiter?.message(caller)
    if (permit?.ok === false) return permit
    try {
      const client = this.#parts.agent.as(caller)
      const task = await (request.value.taskId === undefined
        ? this.#accept(client, caller, request.value)
        : this.#goOn(client, request.value.taskId, request.value))
      if (!task.ok) return task
      const kept = await this.#keepPush(client, caller, request.value, task.value.view.place)
      return kept.ok ? ok({ request: request.value, task: task.value }) : kept
    } finally {
      permit?.value.release()
    }
  }

  async #keepPush(
    client: AgentClient,
    caller: Caller,
    { push }: MessageRequest,
    place: TaskPlace,
  ): Outcome<void> {
    if (!push) return ok(undefined)
    const { configs } = this.#parts
    if (!configs) return err(NO_PUSH)
    const kept = await configs.put(client, caller, place, push)
    return kept.ok ? ok(undefined) : kept
  }

  /** A message that begins a task of its own. */
  async #accept(client: AgentClient, caller: Caller, request: MessageRequest): Outcome<Begun> {
    const { contextId, messageId, text, assets, data, push } = request
    if (push && !this.#parts.configs) return err(NO_PUSH)
    const named = contextId === undefined ? undefined : sessionOfThread(caller, contextId)
    const known = named && (await standing(client, named.session, named.isDerived))
    if (known?.ok === false) return known
    // The same message of the same caller is the same task.
    const key = sha256(JSON.stringify(['a2a', messageId])).slice(0, 32)
    const words = [text, ...data.map((one) => JSON.stringify(one))].filter((one) => one !== '')
    const send: SendRequest = {
      text: words.join('\n'),
      key,
      sessionState: taskState(key, named?.isDerived ? contextId : undefined),
      ...(assets.length > 0 && { assets }),
      ...(named && { session: named.session, ...(named.isDerived && { create: true }) }),
    }
    // Without the request's signal: a client that disconnects does not cancel the message.
    const sent = await client.send(send)
    if (!sent.ok) return sent
    const { session, frames, isBehindQuestion } = sent.value
    const at = {
      at: known?.value?.row.updatedAt ?? this.#parts.clock.now(),
      head: known?.value?.row.head ?? 0,
    }
    const view = acceptedTask({ session, key }, contextId ?? session, at)
    return ok({
      client,
      view,
      frames,
      ...(isBehindQuestion && { open: 'all' as const }),
      answered: [],
    })
  }

  /** A message of a task that waits: its answers. */
  async #goOn(client: AgentClient, id: string, request: MessageRequest): Outcome<Begun> {
    const found = await this.#find(client, id)
    if (!found.ok) return found
    const view = found.value
    const { contextId } = request
    if (contextId !== undefined && contextId !== view.contextId && contextId !== view.place.session)
      return err(a2aError('INVALID_PARAMS', 'contextId: is not that of the task'))
    if (view.asks.length === 0)
      return err(
        a2aError(
          'UNSUPPORTED_OPERATION',
          'the task waits for nothing: send the message to its context, without a taskId',
        ),
      )
    const answers = answersIn(request, view.asks)
    if (!answers.ok) return answers
    const answered = await client.answer(view.place.session, answers.value)
    if (!answered.ok) return answered
    const frames = await this.#follow(client, view)
    if (!frames.ok) return frames
    const working: TaskView = { ...view, asks: [], state: 'TASK_STATE_WORKING' }
    return ok({
      client,
      view: working,
      frames: frames.value,
      open: view.asks.map(({ id: ask }) => ask),
      answered: answers.value.map(({ id: ask }) => ask),
    })
  }

  #follow(client: AgentClient, { place, head }: TaskView): ReturnType<AgentClient['follow']> {
    return client.follow(place.session, { seq: head, fencingToken: 0, attempt: 0, n: 0 }, place.key)
  }

  #stream(begun: Begun, wrap: Wrap): Response {
    const { turn, writer } = written(begun, wrap)
    return turnStream(turn, writer)
  }

  /** A task by its id. The first entries of a run are written with its first reply. */
  async #find(client: AgentClient, id: string): Outcome<TaskView> {
    const place = readTaskId(id)
    if (!place) return err(NO_TASK)
    for (let look = 0; look < 2; look++) {
      const view = await client.session(place.session)
      if (!view.ok) return view.error.code === 'SESSION_NOT_FOUND' ? err(NO_TASK) : view
      const task = taskIn(view.value, place)
      if (task) return ok(task)
      const frames = await client.follow(place.session, undefined, place.key)
      if (!frames.ok) return frames
      frames.value.close()
      const { head, updatedAt: at } = view.value.row
      if (frames.value.atRest !== true) return ok(acceptedTask(place, place.session, { at, head }))
    }
    return err(NO_TASK)
  }
}

export const NO_PUSH = a2aError(
  'PUSH_NOTIFICATION_NOT_SUPPORTED',
  'this server has no job queue and no sealer to push with',
)

/** A session that a message goes to. Refused where it waits for somebody. */
async function standing(
  client: AgentClient,
  session: SessionId,
  mayBeNew: boolean,
): Outcome<SessionView | undefined> {
  const view = await client.session(session, undefined, Number.MAX_SAFE_INTEGER)
  if (!view.ok) return mayBeNew && view.error.code === 'SESSION_NOT_FOUND' ? ok(undefined) : view
  return view.value.asks.length === 0
    ? ok(view.value)
    : err(
        a2aError(
          'UNSUPPORTED_OPERATION',
          'a task of this context waits for input: answer or cancel it first',
        ),
      )
}

/** A task's turn, and what writes it. */
function written(
  { client, view, frames, open, answered }: Begun,
  wrap: Wrap,
): { readonly turn: StreamedTurn; readonly writer: TaskWriter } {
  const parked: ParkedTask = { entries: view.entries }
  const watched: Pick<AgentClient, 'session'> = {
    async session(session, signal) {
      const now = await client.session(session, signal)
      if (now.ok) parked.entries = now.value.entries
      return now
    },
  }
  const { session } = view.place
  return {
    turn: { client: watched, session, frames, answered, ...(open && { open }) },
    writer: new TaskWriter(view, wrap, parked),
  }
}
