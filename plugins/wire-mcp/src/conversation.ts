import {
  askId,
  err,
  failure,
  isObject,
  ok,
  type AskAnswer,
  type Failure,
  type Frame,
  type FrameId,
  type Json,
  type PendingAsk,
  type Result,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { isClosedAsk, declinedAnswer } from '@amodal/sdk/wire'
import { z } from 'zod'
import { answerOf, formOf } from './ask-form.ts'
import { toldOf } from './progress.ts'
import type { CallToolResult, McpContext, ToolAnswer } from './protocol.ts'
import { sealState, type RequestState } from './request-state.ts'
import { shownFailure, type McpRequest } from './server-parts.ts'
import { readTurn, type Turn, type TurnSource } from '@amodal/plugin-loop/tokens'
import { failedResult } from './turn-result.ts'

const BEGINNING: FrameId = { seq: 0, fencingToken: 0, attempt: 0, n: 0 }
/** ms that a person may take to fill a form on a connection of 2025-11-25. */
const FORM_MS = 3_600_000

/** A tool that begins a turn, and says what its turn comes to. */
export interface TurnTool {
  readonly name: string
  readonly begin: () => Promise<Result<TurnSource, Failure>>
  readonly result: (turn: Turn) => CallToolResult
}

/**
 * Reads a turn to its end and tells of it. A question goes to the client as a form where it can
 * show one, in the way of its revision; otherwise the result says what is open.
 */
export async function converse(request: McpRequest, tool: TurnTool): Promise<ToolAnswer> {
  const { ctx, parts } = request
  const state = ctx.mcpReq.requestState<RequestState>()
  const done = await turnsOf(request, tool, state)
  if (done.ok) return done.value
  if (done.error.code === 'CANCELLED') await stop(request, done.error)
  return failedResult(shownFailure(done.error, parts.log))
}

async function turnsOf(
  request: McpRequest,
  tool: TurnTool,
  state: RequestState | undefined,
): Promise<Result<ToolAnswer, Failure>> {
  if (state && state.tool !== tool.name)
    return err(failure('VALIDATION_ERROR', 'requestState: belongs to another tool'))
  const given = state
    ? await give(request, state.session, formsOf(request.ctx.mcpReq.inputResponses))
    : NOTHING_GIVEN
  if (!given.ok) return given
  const answered = new Set(given.value.answered)
  const begun = state ? await resume(request, state, answered) : await tool.begin()
  if (!begun.ok) return begun
  const progress = new Progress(request.ctx, state)
  let source = begun.value
  let { closed, problem } = given.value
  for (;;) {
    const turn = await read(request, source, progress)
    if (!turn.ok) return turn
    const open = turn.value.pending.filter(({ id }) => !closed.has(id))
    if (open.length === 0 || !mayAsk(request)) return ok(tool.result(turn.value))
    if (request.isModern) return inputRequired(request, tool, turn.value, open, progress, problem)
    const filled = await give(request, turn.value.session, await fill(request, open, problem))
    if (!filled.ok) return filled
    ;({ closed, problem } = filled.value)
    for (const id of filled.value.answered) answered.add(id)
    const next = await resume(request, turn.value, answered)
    if (!next.ok) return next
    source = next.value
  }
}

const mayAsk = ({ hasForms, caller, isModern, parts }: McpRequest): boolean =>
  hasForms && caller.mayNotDecide === undefined && (!isModern || parts.sealer !== undefined)

/** Reads on; a wish to stop is `CANCELLED` with the session to stop. */
async function read(
  { agent, ctx }: McpRequest,
  source: TurnSource,
  progress: Progress,
): Promise<Result<Turn, Failure>> {
  const turn = await readTurn(agent, source, (frames) => progress.tell(frames), ctx.mcpReq.signal)
  return turn.ok || turn.error.code !== 'CANCELLED'
    ? turn
    : err({ ...turn.error, details: { session: source.session } })
}

/** Frames of the turn from its first on: its whole text is the answer. */
export async function resume(
  { agent }: McpRequest,
  { session, key }: Pick<RequestState, 'session' | 'key'>,
  answered: ReadonlySet<string>,
): Promise<Result<TurnSource, Failure>> {
  const frames = await agent.follow(session, BEGINNING, key)
  return frames.ok ? ok({ session, key, frames: frames.value, answered }) : frames
}

/** Forms by the id of their question. */
type Forms = ReadonlyMap<string, { readonly action: string; readonly content: Json | undefined }>
interface Given {
  /** Questions that have an answer now. */
  readonly answered: ReadonlySet<string>
  /** Questions that the person wants to leave open. */
  readonly closed: ReadonlySet<string>
  /** Why an answer does not fit. */
  readonly problem?: string
}
const NOTHING_GIVEN: Result<Given, Failure> = ok({
  answered: new Set<string>(),
  closed: new Set<string>(),
})

const Form = z.object({ action: z.string(), content: jsonValue.optional() })

function formsOf(responses: Readonly<Record<string, unknown>> | undefined): Forms {
  return new Map(
    Object.entries(responses ?? {}).flatMap(([id, given]) => {
      const form = Form.safeParse(given)
      return form.success ? [[id, { content: undefined, ...form.data }] as const] : []
    }),
  )
}

/** Gives the answers of forms; what somebody has answered elsewhere is settled. */
async function give(
  { agent, ctx }: McpRequest,
  session: RequestState['session'],
  forms: Forms,
): Promise<Result<Given, Failure>> {
  if (forms.size === 0) return NOTHING_GIVEN
  const view = await agent.session(session, ctx.mcpReq.signal, Number.MAX_SAFE_INTEGER)
  if (!view.ok) return view
  const [answered, closed] = [new Set<string>(), new Set<string>()]
  let problem: string | undefined
  for (const ask of view.value.asks) {
    const form = forms.get(ask.id)
    if (!form) continue
    const answer = meant(ask, form)
    if (!answer) {
      closed.add(ask.id)
      continue
    }
    const settled = await agent.answer(session, [answer])
    if (settled.ok || isClosedAsk(settled.error.code)) answered.add(ask.id)
    else if (settled.error.code === 'ANSWER_INVALID') problem = settled.error.message
    else return settled
  }
  return ok({ answered, closed, ...(problem !== undefined && { problem }) })
}

function meant(
  ask: PendingAsk,
  { action, content }: { readonly action: string; readonly content: Json | undefined },
): AskAnswer | undefined {
  const answer = action === 'decline' ? declinedAnswer(ask.type) : undefined
  if (answer) return { id: askId(ask.id), answer }
  return action === 'accept' && isObject(content)
    ? { id: askId(ask.id), answer: answerOf(ask, content) }
    : undefined
}

const messageOf = (message: string, problem: string | undefined): string =>
  problem === undefined ? message : `The answer does not fit: ${problem}\n\n${message}`

/** Asks the client for forms, on a connection of 2025-11-25; one that fails leaves all open. */
async function fill(
  { ctx }: McpRequest,
  open: readonly PendingAsk[],
  problem: string | undefined,
): Promise<Forms> {
  const filled = await Promise.all(
    open.map(async (ask) => {
      const { message, requestedSchema } = formOf(ask)
      const params = { mode: 'form', message: messageOf(message, problem), requestedSchema }
      const form = await ctx.mcpReq
        .send(
          { method: 'elicitation/create', params },
          { timeout: FORM_MS, signal: ctx.mcpReq.signal },
        )
        .catch(() => ({ action: 'cancel', content: undefined }))
      return [ask.id, { action: form.action, content: form.content }] as const
    }),
  )
  return new Map(filled)
}

/** What has to be answered, as a result of 2026-07-28: the client comes back with it. */
function inputRequired(
  { caller, parts: { clock, sealer }, sdk }: McpRequest,
  { name, result }: TurnTool,
  turn: Turn,
  open: readonly PendingAsk[],
  { count }: Progress,
  problem: string | undefined,
): Result<ToolAnswer, Failure> {
  if (!sealer) return ok(result(turn))
  const { session, key, seq } = turn
  const sealed = sealState(
    { session, key, seq, tool: name, told: count },
    caller,
    sealer,
    clock.now(),
  )
  if (!sealed.ok) return sealed
  const inputRequests = Object.fromEntries(
    open.map((ask) => {
      const { message, requestedSchema } = formOf(ask)
      const params = { mode: 'form' as const, message: messageOf(message, problem) }
      const schema = requestedSchema as ElicitSchema // `formOf` makes plain fields only
      return [ask.id, sdk.inputRequired.elicit({ ...params, requestedSchema: schema })]
    }),
  )
  return ok(sdk.inputRequired({ inputRequests, requestState: sealed.value }))
}
type ElicitSchema = Parameters<McpRequest['sdk']['inputRequired']['elicit']>[0]['requestedSchema']

/** Stops the run where the client wished it; a connection that broke is no wish. */
async function stop({ agent, ctx, from, parts }: McpRequest, error: Failure): Promise<void> {
  const { reason } = ctx.mcpReq.signal as { readonly reason: unknown }
  const isBroken = reason instanceof Error && 'code' in reason && reason.code === BROKEN
  if (parts.isClosing() || (isBroken && from.stopsBy === 'notification')) return
  // `read`
  const { session } = (error.details ?? {}) as { readonly session?: RequestState['session'] }
  if (session === undefined) return
  const stopped = await agent.cancel(session)
  if (!stopped.ok) parts.log.warn('mcp.not_stopped', { session, code: stopped.error.code })
}
/** The library's word for a connection that is gone. */
const BROKEN = 'CONNECTION_CLOSED'

/** Tells of a turn, each thing once and in its order. */
class Progress {
  count: number
  readonly #ctx: McpContext
  readonly #from: number
  #sending: Promise<void> = Promise.resolve()
  #last: FrameId | undefined

  constructor(ctx: McpContext, state: RequestState | undefined) {
    this.#ctx = ctx
    this.#from = state?.seq ?? -1
    this.count = state?.told ?? 0
  }

  tell(frames: readonly Frame[]): void {
    const fresh = frames.filter(({ id }) => id.seq > this.#from && isAfter(id, this.#last))
    this.#last = fresh.at(-1)?.id ?? this.#last
    for (const told of toldOf(fresh.map(({ event }) => event))) {
      if (told.kind === 'log') {
        this.#send(() => this.#ctx.mcpReq.log(told.level, told.data, told.logger))
        continue
      }
      const { progressToken } = this.#ctx.mcpReq._meta ?? {}
      if (progressToken === undefined) continue
      const progress = ++this.count
      this.#send(() =>
        this.#ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, message: told.message },
        }),
      )
    }
  }

  /** A client that is gone is told nothing. */
  #send(send: () => Promise<void>): void {
    this.#sending = this.#sending.then(send).catch(() => undefined)
  }
}

const isAfter = (id: FrameId, last: FrameId | undefined): boolean =>
  last === undefined || id.seq > last.seq || (id.seq === last.seq && id.n > last.n)
