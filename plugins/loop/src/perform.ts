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
import type { LoopTurn } from './loop-turn.ts'
import { persisted } from './persistence.ts'
import { keyOf } from './recover.ts'
import { cleanedResult } from './cleaned-result.ts'
import { type CallInner, execute, type Executed } from './execute.ts'

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
  const { result, ephemeral } = persisted(
    await cleanedResult(executed.result, call, turn),
    call,
    turn,
  )
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
