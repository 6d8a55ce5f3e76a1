import {
  type EffectInDoubt,
  type EffectTarget,
  isReadOnly,
  type PreparedCall,
  type RunId,
  sleep,
  type ToolResult,
} from '@amodal/sdk'
import { isKeyed } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'
import { persisted } from './persistence.ts'
import { effectKeyOf } from './effect-key.ts'
import { cleanedResult } from './cleaned-result.ts'
import { type CallInner, execute, type Executed } from './execute.ts'

/**
 * The result of a call that was performed; `doubts`: effects that may have happened without
 * confirmation.
 */
export interface Performed {
  readonly result: ToolResult
  readonly ms: number
  readonly doubts: readonly EffectInDoubt[]
  /** The model sees it in this run only. */
  readonly ephemeral?: boolean
}

/** The most attempts of a call whose lease is about to end each time. */
const MOST_TRIES = 3
/**
 * The margins that must remain of a lease when a call begins: it has to connect before the last
 * one.
 */
const MARGINS = 3
/** ms between two checks of a lease that is about to end. */
const LEASE_LOOK_MS = 20

/**
 * Runs one call with its deadline and cleans its result: scrub → `tool.result` → `tool.done`.
 * Never throws.
 *
 * @param how `until`: aborts before the call's own deadline; by default the turn's signal. `run`:
 *   the run whose key the call carries; by default this run
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
  if (!readOnly) turn.startedEffects.add(call.id)
  const begun = clock.monotonic()
  const executed = await executeInTime(
    { ...call, key: effectKeyOf(run, call.id) },
    turn,
    inner,
    until,
  )
  alive()
  if (isLeaseLost(executed)) giveUpForRetry(call, turn)
  const { result, ephemeral } = persisted(
    await cleanedResult(executed.result, call, turn),
    call,
    turn,
  )
  if (turn.hooks.tool.done.tapped) void turn.hooks.tool.done.call(call, result, turn)
  const doubts = doubtsOf(executed, call, run)
  return { result, ms: Math.round(clock.monotonic() - begun), doubts, ephemeral }
}

/** The outcome of a call without a lease. It is in doubt if an earlier attempt had begun. */
function unleased(call: PreparedCall, run: RunId, turn: LoopTurn): Performed {
  giveUpForRetry(call, turn)
  return {
    result: {
      status: 'error',
      code: 'LEASE_LOST',
      message: 'This process may not act for the session any more.',
    },
    ms: 0,
    doubts: turn.startedEffects.has(call.id) ? [doubtOf(call, run)] : [],
  }
}

/** Repeats read-only and keyed calls for which the lease was only about to end. */
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

/** The effects of a call that may have happened without confirmation. */
function doubtsOf(
  { result, interrupted, doubts: inside }: Executed,
  call: PreparedCall,
  run: RunId,
): readonly EffectInDoubt[] {
  if (isReadOnly(call) || (!interrupted && result.status !== 'error')) return []
  const doubtful = interrupted || (result.status === 'error' && result.code === 'OUTCOME_UNKNOWN')
  // A failed tool with an inner call in doubt may have had an effect; a tool with a result has
  // handled its inner calls.
  const own = interrupted || (doubtful && inside.length === 0) ? [doubtOf(call, run)] : []
  return [...own, ...inside]
}

/**
 * Waits while the lease is about to end, until it is renewed or lost. Returns whether this process
 * may act for the session.
 */
async function hasLease({ lease, signal }: LoopTurn): Promise<boolean> {
  while (lease.remainingMs() <= MARGINS * lease.margin && !signal.aborted)
    await sleep(LEASE_LOOK_MS, signal)
  return lease.remainingMs() > lease.margin
}

const isLeaseLost = ({ result }: Executed): boolean =>
  result.status === 'error' && result.code === 'LEASE_LOST'

/**
 * Gives up the lease after a keyed call came too late. An earlier attempt may have arrived, and a
 * repeat is harmless, so the call has no outcome yet and the next owner repeats it.
 */
function giveUpForRetry(call: PreparedCall, { parts: { lease } }: LoopTurn): void {
  if (isKeyed(call) && call.outer === undefined)
    lease.lose('it ran out before a call that can be repeated', false)
}

/** The details of an effect in doubt, for a person. */
function doubtOf(call: PreparedCall, run: RunId): EffectInDoubt {
  const target = targetOf(call)
  return {
    call: call.id,
    name: call.tool.name,
    key: effectKeyOf(run, call.id),
    keyed: isKeyed(call),
    ...(target ? { target } : {}),
    args: call.args,
  }
}

/** The target of a call, for its intent and its outcome. */
export const targetOf = ({ action }: PreparedCall): EffectTarget | undefined =>
  action && { connection: action.connection, method: action.method, path: action.path }
