import {
  type AgentEvent,
  Outbound,
  type CallId,
  deadline,
  type EffectInDoubt,
  type InnerCall,
  messageOf,
  PluginError,
  type PreparedCall,
  type ToolContext,
  type ToolResult,
  within,
} from '@amodal/sdk'
import { boundOutbound, mayHaveActed } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'
import { isPrivate } from './persistence.ts'
import { isDurable, recordedStep, recordStep } from './durable-calls.ts'
import { scrubMessage } from './scrub-message.ts'
import { declared, isResult } from './cleaned-result.ts'

export interface Executed {
  readonly result: ToolResult
  readonly interrupted: boolean
  readonly doubts: readonly EffectInDoubt[]
}

/** Makes an inner call of a tool that is running; it ends with the tool. */
export type CallInner = (
  inner: InnerCall,
  signal: AbortSignal,
) => Promise<Pick<Executed, 'result' | 'doubts'>>

export async function execute(
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
    // The result of a tool that exceeds its deadline is ignored.
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
    // A request that was sent and whose response was lost may have taken effect.
    return mayHaveActed(cause)
      ? failed(message, 'OUTCOME_UNKNOWN', true)
      : failed(message, 'TOOL_FAILED', false)
  } finally {
    await inside.end()
    limit.clear()
  }
}

/**
 * The context of the tool: its outgoing requests are bound to the lease, signal and key of this
 * call.
 */
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
    ...(isDurable(call) && {
      recorded: {
        get: (step) => recordedStep(id, step, turn),
        add: (step, value) => recordStep(id, step, value, turn),
      },
    }),
    ask,
  }
}

/**
 * Whether progress is suppressed: progress of a private call and of its inner calls would reveal
 * its result.
 */
const isSilent = (call: PreparedCall, turn: LoopTurn): boolean =>
  isPrivate(call, turn) || (call.outer !== undefined && isSilent(call.outer, turn))

/**
 * The inner calls of a tool. Calls that the tool did not await are awaited at its end; afterwards
 * it can make none.
 */
class InnerCalls {
  /** Effects of inner calls that may have happened. */
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

/** The answers to earlier questions of a call that resumes. */
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
      return context && entry.kind === 'input_answered'
        ? [{ context, answer: entry.answer, principal: entry.principal }]
        : []
    }),
  }
}
