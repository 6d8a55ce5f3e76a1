import {
  clientCallOf,
  clientToolsState,
  resultOfClient,
  toolsInState,
} from '@amodal/plugin-client-tools/tokens'
import {
  err,
  failure,
  isObject,
  ok,
  sha256,
  trySync,
  type Agent,
  type AgentClient,
  type AskAnswer,
  type AskId,
  type Caller,
  type Failure,
  type FrameCursor,
  type Json,
  type JsonObject,
  type Result,
  type SendRequest,
  type SequencedEntry,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import type { ResponseFormats } from '@amodal/plugin-structured-output/tokens'
import { parseExact } from '@amodal/sdk/data'
import { newKey } from '@amodal/sdk/loop'
import { canRespondIn, respondState } from './client-tools.ts'
import { withEarlier, type Incoming, type ToolOutput } from './incoming.ts'
import { badParameter, unsupported } from './openai-error.ts'
import type { RequestedFormat } from './response-format.ts'
import { usageIn } from './run-segment.ts'
import { clientCallId, readCallId, type ResponsePlace } from './wire-id.ts'

/** Where a message goes. Without a session: a new one. */
export interface Target {
  readonly session?: SessionId
  /** The session may be made by the message. */
  readonly create?: boolean
}

/** A turn that was begun, or goes on. */
export interface BegunTurn {
  readonly client: AgentClient
  readonly session: SessionId
  readonly place: ResponsePlace
  /** The key of its message. */
  readonly key: string
  /** The journal's head before it. */
  readonly from: number
  readonly frames: FrameCursor
  /** Questions that were open before; `all`: another run waits. */
  readonly open?: readonly AskId[] | 'all'
  /** Questions that were answered just now. */
  readonly answered: readonly AskId[]
  /** Tools that the client executes. */
  readonly clientTools: ReadonlySet<string>
  /** It can answer for a person. */
  readonly canRespond: boolean
  /** What the run had used before. */
  readonly used: ReturnType<typeof usageIn>
}

interface Begin {
  readonly caller: Caller
  readonly target: Target
  readonly incoming: Incoming
  readonly headers: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
}

type Outcome<T> = Promise<Result<T, Failure>>

/** Sends what a request says: a message, or the results of calls that its client has executed. */
export class Turns {
  readonly #agent: Agent
  readonly #formats: ResponseFormats | undefined

  constructor(agent: Agent, formats: ResponseFormats | undefined) {
    this.#agent = agent
    this.#formats = formats
  }

  async begin(request: Begin): Outcome<BegunTurn> {
    const client = this.#agent.as(request.caller)
    return request.incoming.outputs.length > 0
      ? this.#goOn(client, request)
      : this.#send(client, request)
  }

  async #send(
    client: AgentClient,
    { target, incoming, headers, idempotencyKey }: Begin,
  ): Outcome<BegunTurn> {
    const taken = this.#takenNames(incoming, await this.#agent.compiled())
    if (taken) return err(taken)
    const format = incoming.format && this.#formatState(incoming.format)
    if (format?.ok === false) return format
    const head = await headOf(client, target)
    if (!head.ok) return head
    const key = idempotencyKey === undefined ? newKey() : sha256(idempotencyKey).slice(0, 32)
    const { session, create } = target
    const request: SendRequest = {
      text: head.value === 0 ? withEarlier(incoming) : incoming.text,
      key,
      ...(session === undefined ? { headers } : { session, ...(create && { create, headers }) }),
      ...(incoming.assets.length > 0 && { assets: incoming.assets }),
      ...(incoming.instructions !== '' && { context: { instructions: incoming.instructions } }),
      ...((format || offersAny(incoming)) && {
        sessionState: {
          ...format?.value,
          ...(offersAny(incoming) && {
            ...clientToolsState(incoming.tools),
            ...respondState(incoming),
          }),
        },
      }),
    }
    // Without the request's signal: a client that disconnects does not cancel the message.
    const sent = await client.send(request)
    if (!sent.ok) return sent
    const { frames, isBehindQuestion } = sent.value
    return ok({
      client,
      session: sent.value.session,
      place: { session: sent.value.session, from: { kind: 'message', key } },
      key,
      from: head.value,
      frames,
      ...(isBehindQuestion && { open: 'all' as const }),
      answered: [],
      clientTools: new Set(incoming.tools.map(({ name }) => name)),
      canRespond: incoming.canRespond,
      used: NOTHING_USED,
    })
  }

  #formatState({ param, ...format }: RequestedFormat): Result<JsonObject, Failure> {
    if (!this.#formats) return err(unsupported(param, 'it needs the plugin structured-output'))
    const state = this.#formats.stateOf(format)
    return state.ok ? state : err(badParameter(param, state.error.message))
  }

  /** A tool of the client that the agent has a tool of the same name for. */
  #takenNames(
    { tools }: Incoming,
    compiled: Awaited<ReturnType<Agent['compiled']>>,
  ): Failure | undefined {
    if (tools.length === 0 || !compiled.ok) return undefined
    const own = new Set(compiled.value.tools.tools.map(({ name }) => name))
    const taken = tools.find(({ name }) => own.has(name))
    return (
      taken &&
      badParameter('tools', `the agent has a tool "${taken.name}" of its own: choose another name`)
    )
  }

  /** Answers what a run has waited for, and follows it from there. */
  async #goOn(client: AgentClient, { target, incoming }: Begin): Outcome<BegunTurn> {
    const found = await this.#answered(client, target, incoming.outputs)
    if (!found.ok) return found
    const { session, view, asks } = found.value
    const given = answersTo(incoming.outputs, asks, view)
    if (!given.ok) return given
    if (given.value.length > 0) {
      const answered = await client.answer(session, given.value)
      if (!answered.ok) return answered
    }
    const [first] = asks
    const asked = view.entries.find((entry) => entry.kind === 'input_asked' && entry.ask === first)
    const run = view.entries.filter((entry) => entry.run === asked?.run)
    const opening = run.find((entry) => entry.kind === 'user_message')
    if (first === undefined || opening?.kind !== 'user_message') return err(UNKNOWN_CALL)
    const from = given.value.length > 0 ? view.row.head : placeOfAnswer(run, first)
    const place = { seq: from, fencingToken: 0, attempt: 0, n: 0 }
    const frames = await client.follow(session, place, opening.key)
    if (!frames.ok) return frames
    return ok({
      client,
      session,
      place: { session, from: { kind: 'answer', ask: first } },
      key: opening.key,
      from,
      frames: frames.value,
      open: view.asks.map(({ id }) => id),
      answered: asks,
      clientTools: new Set(toolsInState(opening.session_state).map(({ name }) => name)),
      canRespond: incoming.canRespond || canRespondIn(opening.session_state),
      used: usageIn(run.filter(({ seq }) => seq <= from)),
    })
  }

  /** The session that results belong to, and the questions that they answer, in order. */
  async #answered(
    client: AgentClient,
    target: Target,
    outputs: readonly ToolOutput[],
  ): Outcome<{
    readonly session: SessionId
    readonly view: SessionView
    readonly asks: readonly AskId[]
  }> {
    const calls = outputs.map(({ callId }) => readCallId(callId))
    const [first] = calls
    if (!first || calls.some((call) => call?.session !== first.session)) return err(UNKNOWN_CALL)
    if (target.session !== undefined && !target.create && target.session !== first.session)
      return err(UNKNOWN_CALL)
    const view = await client.session(first.session)
    if (!view.ok) return view
    const asks = calls.flatMap((call) => call?.ask ?? [])
    return ok({ session: first.session, view: view.value, asks })
  }
}

const offersAny = ({ tools, canRespond }: Incoming): boolean => tools.length > 0 || canRespond

const NOTHING_USED = usageIn([])

const UNKNOWN_CALL = failure(
  'VALIDATION_ERROR',
  'the results name no call that waits: send the call ids as they were given, of one response',
)

/** Where a session stands; 0 for one that is still to be made. Refused where it waits. */
async function headOf(client: AgentClient, { session, create }: Target): Outcome<number> {
  if (session === undefined) return ok(0)
  const view = await client.session(session, undefined, Number.MAX_SAFE_INTEGER)
  if (!view.ok) return create && view.error.code === 'SESSION_NOT_FOUND' ? ok(0) : view
  const { asks, row } = view.value
  if (asks.length === 0) return ok(row.head)
  const calls = asks.map(({ id }) => clientCallId(session, id)).join(', ')
  return err(
    failure('RUN_ACTIVE', `no tool output found for ${calls}: answer it first, or cancel the run`),
  )
}

/**
 * The answers to the open questions among these; one that was given before is let be, so that a
 * request may be repeated.
 */
function answersTo(
  outputs: readonly ToolOutput[],
  asks: readonly AskId[],
  { asks: open, entries }: SessionView,
): Result<readonly AskAnswer[], Failure> {
  const missing = open.flatMap(({ id, context }) =>
    asks.includes(id) ? [] : (clientCallOf({ context })?.name ?? []),
  )
  if (missing.length > 0)
    return err(
      badParameter(
        'input',
        `no tool output found for the call of "${missing.join('", "')}": send all results at once`,
      ),
    )
  const answers: AskAnswer[] = []
  for (const [at, { output }] of outputs.entries()) {
    const id = asks[at]
    const ask = open.find((one) => one.id === id)
    if (id !== undefined && !ask && wasAnswered(id, entries)) continue
    if (id === undefined || !ask) return err(UNKNOWN_CALL)
    const answer = clientCallOf(ask) ? ok(resultOfClient(output)) : decisionIn(output)
    if (!answer.ok) return answer
    answers.push({ id, answer: answer.value })
  }
  return ok(answers)
}

const wasAnswered = (ask: AskId, entries: readonly SequencedEntry[]): boolean =>
  entries.some((entry) => entry.kind === 'input_answered' && entry.ask === ask)

const placeOfAnswer = (run: readonly SequencedEntry[], ask: AskId): number =>
  (run.find((entry) => entry.kind === 'input_answered' && entry.ask === ask)?.seq ?? 1) - 1

/** What a client has decided for a person: JSON that fits the question's schema. */
function decisionIn(output: string): Result<JsonObject, Failure> {
  const parsed = trySync(
    () => parseExact(output) as Json, // JSON text
    () => undefined,
  )
  return parsed.ok && isObject(parsed.value)
    ? ok(parsed.value)
    : err(
        badParameter(
          'input',
          'an answer for a person must be a JSON object that fits `pending_input_schema`',
        ),
      )
}
