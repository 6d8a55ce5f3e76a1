import {
  type AgentEvent,
  Outbound,
  type CallId,
  truncate,
  deadline,
  type EffectInDoubt,
  type EffectTarget,
  type InnerCall,
  isReadOnly,
  type JournalEntry,
  type Json,
  messageOf,
  PluginError,
  type PreparedCall,
  type RunId,
  Scrubber,
  sleep,
  type ToolContext,
  type ToolResult,
  within,
  ok,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { EventKinds } from '@amodal/sdk/wire'
import { boundOutbound, isKeyed, mayHaveActed, withDeadline, defined } from '@amodal/sdk/loop'
import { isPluginEvent } from '@amodal/sdk/wire'
import { isDeep } from './json-depth.ts'
import type { LoopTurn } from './loop-turn.ts'
import { isPrivate, persisted } from './persistence.ts'
import { keyOf } from './recover.ts'
import { SCRUB_MS, scrubMessage } from './scrub-message.ts'

/** `doubts`: effects that may have happened although nobody said so. */
export interface Performed {
  readonly result: ToolResult
  readonly ms: number
  readonly doubts: readonly EffectInDoubt[]
  /** The model sees it in this run only. */
  readonly ephemeral?: boolean
}

/** Times that a call is made whose lease is nearly over each time. */
const MOST_TRIES = 3
/**
 * So many margins have to be left of a lease where a call begins: it has to connect before the last
 * one.
 */
const MARGINS = 3
/** ms between two looks at a lease that is nearly over. */
const LEASE_LOOK_MS = 20

/** Calls that a tool makes of others while it runs: they end with it. */
export type CallInner = (
  inner: InnerCall,
  signal: AbortSignal,
) => Promise<Pick<Performed, 'result' | 'doubts'>>

/**
 * Runs one call with its deadline and cleans what it gives: scrub → `tool.result` → `tool.done`.
 * Never throws.
 *
 * @param how `until`: ends it before its own deadline, such as the call that makes this one; left
 *   out: the turn. `run`: the earlier run that made this very call, whose key it carries; left out:
 *   this run
 */
export async function perform(
  call: PreparedCall,
  turn: LoopTurn,
  inner: CallInner,
  how: { readonly until?: AbortSignal; readonly run?: RunId } = {},
): Promise<Performed> {
  const { until = turn.signal, run = turn.run } = how
  const { clock, alive } = turn.parts
  const readOnly = isReadOnly(call)
  if (!(await hasLease(turn)) && !readOnly) return unleased(call, run, turn)
  if (!readOnly) turn.begun.add(call.id)
  const begun = clock.monotonic()
  const executed = await executeInTime({ ...call, key: keyOf(run, call.id) }, turn, inner, until)
  alive()
  if (isLeaseLost(executed)) releaseForRetry(call, turn)
  const { result, ephemeral } = persisted(await cleaned(executed.result, call, turn), call, turn)
  if (turn.hooks.tool.done.tapped) void turn.hooks.tool.done.call(call, result, turn)
  const doubts = doubtsOf(executed, call, run)
  return { result, ms: Math.round(clock.monotonic() - begun), doubts, ephemeral }
}

/** The lease was lost before the call began, or after it had begun once already. */
function unleased(call: PreparedCall, run: RunId, turn: LoopTurn): Performed {
  releaseForRetry(call, turn)
  return {
    result: {
      status: 'error',
      code: 'LEASE_LOST',
      message: 'This process may not act for the session any more.',
    },
    ms: 0,
    doubts: turn.begun.has(call.id) ? [doubtOf(call, run)] : [],
  }
}

/** What reads, or has a key, is made again where the lease was only nearly over. */
async function executeInTime(
  call: PreparedCall & { readonly key: string },
  turn: LoopTurn,
  inner: CallInner,
  until: AbortSignal,
): Promise<Executed> {
  const { alive, settings } = turn.parts
  const { timeoutMs = settings.toolMs } = call.tool
  const mayRepeat = isReadOnly(call) || isKeyed(call)
  for (let tries = 1; ; tries++) {
    alive(timeoutMs)
    const executed = await execute(call, timeoutMs, turn, inner, until)
    if (!isLeaseLost(executed) || !mayRepeat || tries === MOST_TRIES) return executed
    if (!(await hasLease(turn))) return executed
  }
}

/** Effects of a call that may have happened although nobody said so. */
function doubtsOf(
  { result, interrupted, doubts: inside }: Executed,
  call: PreparedCall,
  run: RunId,
): readonly EffectInDoubt[] {
  if (isReadOnly(call) || (!interrupted && result.status !== 'error')) return []
  const doubtful = interrupted || (result.status === 'error' && result.code === 'OUTCOME_UNKNOWN')
  // A tool that failed after a call of its own was left in doubt has not failed for sure; one that
  // has a result knows what it made of that.
  const own = interrupted || (doubtful && inside.length === 0) ? [doubtOf(call, run)] : []
  return [...own, ...inside]
}

/**
 * Whether this process may act for the session. Where its lease is nearly over it waits for what
 * becomes of that: it is renewed as long as nobody else has the session, and lost otherwise.
 */
async function hasLease({ lease, signal }: LoopTurn): Promise<boolean> {
  while (lease.left() <= MARGINS * lease.margin && !signal.aborted)
    await sleep(LEASE_LOOK_MS, signal)
  return lease.left() > lease.margin
}

const isLeaseLost = ({ result }: Executed): boolean =>
  result.status === 'error' && result.code === 'LEASE_LOST'

/**
 * A call with a key came too late: an earlier try may have been acted on, and the same again does
 * no harm. So this is no outcome of it, also where the lease is renewed in the very next moment:
 * whoever has the session next makes it.
 */
function releaseForRetry(call: PreparedCall, { parts: { lease } }: LoopTurn): void {
  if (isKeyed(call) && call.outer === undefined)
    lease.lose('it ran out before a call that can be made again', false)
}

/** What a person has to know of an effect that nobody knows of. */
function doubtOf(call: PreparedCall, run: RunId): EffectInDoubt {
  const target = targetOf(call)
  return {
    call: call.id,
    name: call.tool.name,
    key: keyOf(run, call.id),
    keyed: isKeyed(call),
    ...(target ? { target } : {}),
    args: call.args,
  }
}

/** Where a call goes, as its intent and its outcome say. */
export const targetOf = ({ action }: PreparedCall): EffectTarget | undefined =>
  action && { connection: action.connection, method: action.method, path: action.path }

interface Executed {
  readonly result: ToolResult
  readonly interrupted: boolean
  readonly doubts: readonly EffectInDoubt[]
}

async function execute(
  call: PreparedCall & { readonly key: string },
  ms: number,
  turn: LoopTurn,
  inner: CallInner,
  until: AbortSignal,
): Promise<Executed> {
  const { tool, args } = call
  const limit = deadline(until, ms)
  const { signal } = limit
  const inside = new InnerCalls(inner, signal)
  const failed = (message: string, code: string, interrupted: boolean): Executed => ({
    result: { status: 'error', message, code },
    interrupted,
    doubts: inside.doubts,
  })
  try {
    if (signal.aborted) return failed('The turn was stopped before this ran.', 'TOOL_FAILED', false)
    const context = contextOf(call, inside, signal, turn)
    // A tool that outlives its deadline is not listened to any more.
    const result = await within(Promise.resolve(tool.execute(args, context)), signal)
    if (!isResult(result)) throw new Error('it gave no result')
    return { result, interrupted: false, doubts: inside.doubts }
  } catch (cause) {
    if (turn.signal.aborted)
      return failed('The turn was stopped while this ran.', 'TOOL_FAILED', true)
    if (signal.aborted)
      return failed(`"${tool.name}" did not answer within ${ms} ms.`, 'TOOL_TIMEOUT', true)
    const message = PluginError.is(cause)
      ? cause.message
      : `"${tool.name}" failed: ${messageOf(cause)}`
    turn.log.warn('tool_failed', { tool: tool.name, call: call.id, error: message })
    // A request of its own that was written, and whose answer was lost, may have been acted on.
    return mayHaveActed(cause)
      ? failed(message, 'OUTCOME_UNKNOWN', true)
      : failed(message, 'TOOL_FAILED', false)
  } finally {
    await inside.end()
    limit.clear()
  }
}

/** What the tool is given: its way out is bound to lease, signal and key of this call. */
function contextOf(
  call: PreparedCall & { readonly key: string },
  inside: InnerCalls,
  signal: AbortSignal,
  turn: LoopTurn,
): ToolContext {
  const { id, action, key } = call
  const { tenant, session, run, principal, roles, context, sessionState, bundle } = turn
  const { lease, log, scope, ask } = turn
  return {
    tenant,
    session,
    run,
    callId: id,
    principal,
    roles,
    context,
    sessionState,
    bundle,
    key,
    signal,
    lease,
    outbound: boundOutbound(() => scope.find(Outbound), { lease, signal, key }),
    log,
    scope,
    progress: isSilent(call, turn)
      ? () => undefined
      : (event: AgentEvent) => turn.progress(declared(event, turn)),
    call: (one) => inside.call(one),
    scrub: (message) => scrubMessage(message, call, turn),
    ...answersTo(id, turn),
    ...(action ? { action } : {}),
    ask,
  }
}

/** What a private call says, and what the calls say that it makes, tells of what it gives. */
const isSilent = (call: PreparedCall, turn: LoopTurn): boolean =>
  isPrivate(call, turn) || (call.outer !== undefined && isSilent(call.outer, turn))

/**
 * The calls that a tool makes while it runs. What it did not wait for is waited for here; once it
 * is over, it makes none.
 */
class InnerCalls {
  /** Effects of these calls that may have happened. */
  readonly doubts: EffectInDoubt[] = []
  readonly #make: CallInner
  readonly #signal: AbortSignal
  readonly #open = new Set<Promise<ToolResult>>()
  #over = false

  constructor(make: CallInner, signal: AbortSignal) {
    this.#make = make
    this.#signal = signal
  }

  call(inner: InnerCall): Promise<ToolResult> {
    if (this.#over || this.#signal.aborted)
      return Promise.resolve({
        status: 'error',
        code: 'CANCELLED',
        message: `"${inner.name}" was not called: the call that makes it is over`,
      })
    const pending = this.#make(inner, this.#signal).then(({ result, doubts }) => {
      this.doubts.push(...doubts)
      return result
    })
    const settled = (): void => void this.#open.delete(pending)
    this.#open.add(pending)
    pending.then(settled, settled)
    return pending
  }

  async end(): Promise<void> {
    this.#over = true
    if (this.#open.size > 0)
      await within(Promise.allSettled(this.#open), this.#signal).catch(() => undefined)
  }
}

/** What people answered to questions that a call goes on with. */
function answersTo(id: CallId, { entries }: LoopTurn): Pick<ToolContext, 'answers'> {
  const contexts = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'input_asked' && entry.call === id && entry.ask_type === 'question'
        ? [[entry.ask, entry.context]]
        : [],
    ),
  )
  if (contexts.size === 0) return {}
  return {
    answers: entries.flatMap((entry) => {
      const context =
        entry.kind === 'input_answered' && entry.void === undefined
          ? contexts.get(entry.ask)
          : undefined
      return context && entry.kind === 'input_answered' ? [{ context, answer: entry.answer }] : []
    }),
  }
}

function isResult(result: unknown): result is ToolResult {
  if (typeof result !== 'object' || result === null || !('status' in result)) return false
  switch (result.status) {
    case 'success':
      return true
    case 'error':
      return 'message' in result && typeof result.message === 'string'
    case 'asks':
      return (
        'question' in result &&
        typeof result.question === 'object' &&
        result.question !== null &&
        'schema' in result.question
      )
    default:
      return false
  }
}

/**
 * Before any tap, the journal or the model sees it: scrubbed. A step that fails withholds the
 * result.
 */
async function cleaned(raw: ToolResult, call: PreparedCall, turn: LoopTurn): Promise<ToolResult> {
  const { scope } = turn.parts.generation
  const { result: tap } = turn.hooks.tool
  try {
    const scrubber = scope.find(Scrubber)
    const scrubbed = scrubber
      ? await withDeadline(() => scrubber.scrub(raw, call, turn), SCRUB_MS)
      : raw
    const tapped = tap.tapped ? await tap.call(scrubbed, call, turn) : ok(scrubbed)
    if (!tapped.ok) throw tapped.error
    if (!isResult(tapped.value)) throw new Error('what cleans it gave no result')
    return bounded(
      withDeclared(tapped.value, turn),
      Math.min(turn.parts.settings.outputChars, call.tool.outputChars ?? Infinity),
    )
  } catch (cause) {
    turn.log.error('result_withheld', { tool: call.tool.name, error: messageOf(cause) })
    const done =
      raw.status === 'success' && !isReadOnly(call)
        ? `"${call.tool.name}" ran, and what it did is done. `
        : ''
    return {
      status: 'error',
      code: 'PLUGIN_FAILED',
      message: `${done}The result was withheld: ${messageOf(cause)}`,
    }
  }
}

const withDeclared = (result: ToolResult, turn: LoopTurn): ToolResult =>
  result.status === 'success' && result.events
    ? { ...result, events: result.events.map((event) => declared(event, turn)) }
    : result

/**
 * The result as the journal will have it: JSON, and of each part no more than `limit` characters.
 */
function bounded(result: ToolResult, limit: number): ToolResult {
  switch (result.status) {
    case 'asks':
      return result
    case 'error':
      return {
        ...result,
        message: truncate(result.message, limit),
        ...(result.output === undefined ? {} : { output: asJson(result.output, limit) }),
      }
    case 'success':
      return {
        ...result,
        output: asJson(result.output, limit),
        ...(result.events ? { events: fitting(result.events, limit) } : {}),
      }
  }
}

function asJson(output: Json, limit: number): Json {
  if (typeof output === 'string') return truncate(output, limit)
  const text = JSON.stringify(output ?? null)
  // What is too deep to walk through is a text: a message that no provider can send would end every
  // turn to come. it was JSON a moment ago
  return text.length > limit || isDeep(text) ? truncate(text, limit) : (parseExact(text) as Json)
}

/** An event that no plugin lists is not sent: clients could not know what it says. */
function declared(event: AgentEvent, { parts: { generation } }: LoopTurn): AgentEvent {
  if (!isPluginEvent(event) || generation.registry(EventKinds).get(event.type)?.in === 'session')
    return event
  const message = `the event "${event.type}" is left out: no plugin lists it under \`events\``
  return { type: 'warning', message, code: 'UNDECLARED' }
}

/** Half an event is none: those that fit together. */
function fitting(events: readonly AgentEvent[], limit: number): readonly AgentEvent[] {
  let room = limit
  const fittingEvents = events.filter((event) => {
    const text = JSON.stringify(event)
    return !isDeep(text) && (room -= text.length) >= 0
  })
  return fittingEvents.length === events.length
    ? events
    : [
        ...fittingEvents,
        {
          type: 'warning',
          message: `${events.length - fittingEvents.length} of what this tool has to show is left out: it is too large`,
        },
      ]
}

/** The outcome entry of a call that ran. Questions have none until they are answered. */
export function outcome(
  call: PreparedCall,
  result: Exclude<ToolResult, { status: 'asks' }>,
  { ms, doubts, ephemeral }: Performed,
  turn: LoopTurn,
): JournalEntry {
  if (result.redacted) turn.addRedacted(call.id, result.redacted)
  const common = {
    kind: 'tool_outcome' as const,
    call: call.id,
    name: call.tool.name,
    ...(call.tool.completedLabel !== undefined && { label: call.tool.completedLabel }),
    ms,
    ...(ephemeral ? { ephemeral } : {}),
    ...(isPrivate(call, turn) ? { private: true as const } : {}),
  }
  const { notice } = result
  if (result.status === 'success') {
    const { output, content, events, ends, sessionState } = result
    return turn.fact({
      ...common,
      status: 'success',
      output,
      ...defined({ content, events, ends, notice, session_state: sessionState }),
    })
  }
  const { message, code, output = message } = result
  if (doubts.length === 0)
    return turn.fact({ ...common, status: 'error', ...defined({ code, notice }), output })
  return turn.fact({
    ...common,
    status: 'unknown',
    in_doubt: doubts,
    ...defined({ code, notice }),
    output: `${message} Whether it took effect is unknown: check before repeating it.`,
  })
}
