import {
  callId,
  type CallId,
  type CallState,
  deepFreeze,
  type Failure,
  hashOf,
  type InnerCall,
  type InputAsked,
  type Json,
  type JsonObject,
  messageOf,
  type SequencedEntry,
  type PreparedCall,
  type ReplyCall,
  Sealer,
  type ToolIntent,
  trySync,
  err,
  ok,
  type Result,
  type Verdict,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { clean, verdict } from '@amodal/sdk/loop'
import { refusalOf } from '../run/budget.ts'
import { fitArguments } from './fit-arguments.ts'
import type { ToolSet } from './tool-set.ts'
import type { LoopTurn, Prepared } from '../run/loop-turn.ts'

export type Ready = Extract<Prepared, { kind: 'ready' }>
type Refused = Extract<Prepared, { kind: 'refused' }>
const refused = (code: Failure['code'], message: string): Refused => ({
  kind: 'refused',
  code,
  message,
})

/** The most levels of inner calls; deeper ones are probably a cycle. */
const MOST_LEVELS = 4

/** The tools of this turn, in the version that the model was given. */
export async function toolsOf(turn: LoopTurn): Promise<ToolSet | Failure> {
  const compiled = await turn.parts.compile.compile(turn.parts.generation, turn.bundle, turn)
  return compiled.ok ? compiled.value.tools : compiled.error
}

/** Turns a call of the model into a frozen call that all guards have seen. */
export async function prepare(reply: ReplyCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared> {
  if (reply.broken !== undefined) return refused('TOOL_ARGUMENTS', reply.broken)
  const over = refusalOf(reply.id, turn)
  if (over !== undefined) return refused('BUDGET_EXCEEDED', over)
  const tool = tools.find(reply.name)
  if (!tool)
    return refused(
      'TOOL_UNKNOWN',
      tools.schemas.length === 0
        ? `There is no tool "${reply.name}", and no other one for whoever asks: answer without tools.`
        : `There is no tool "${reply.name}". There are: ${tools.schemas.map(({ name }) => name).join(', ')}.`,
    )
  // checked to be an object when it was read
  const args = trySync(() => parseExact(reply.input) as JsonObject, messageOf)
  return args.ok
    ? prepareCall({ id: reply.id, tool, args: args.value }, tools, turn)
    : refused('TOOL_ARGUMENTS', args.error)
}

/** Prepares an inner call. Hidden tools are found if the outer tool names them. */
export async function prepareInner(
  { name, args }: InnerCall,
  outer: PreparedCall,
  id: CallId,
  tools: ToolSet,
  turn: LoopTurn,
): Promise<Prepared> {
  if (levels(outer) >= MOST_LEVELS)
    return refused('TOOL_DENIED', `tools call each other ${MOST_LEVELS} levels deep: ${name}`)
  const tool = tools.findInner(name, outer.tool)
  if (!tool) return refused('TOOL_UNKNOWN', `"${outer.tool.name}" can call no tool "${name}"`)
  return prepareCall({ id, tool, args, outer }, tools, turn)
}

const levels = ({ outer }: PreparedCall): number => (outer ? levels(outer) + 1 : 1)

/**
 * Fits the arguments → parses → `tool.call` → freezes → `tool.guard`. All calls pass here, those of
 * the model and inner ones.
 */
async function prepareCall(
  requested: PreparedCall,
  tools: ToolSet,
  turn: LoopTurn,
): Promise<Prepared> {
  const { id, tool, outer } = requested
  const parsed = trySync(() => tool.parse(fitArguments(tool.parameters, requested.args)), messageOf)
  if (!parsed.ok)
    return refused('TOOL_FAILED', `"${tool.name}" could not read its arguments: ${parsed.error}`)
  if (!parsed.value.ok)
    return refused('TOOL_ARGUMENTS', `The arguments do not fit: ${parsed.value.error}`)
  const call: PreparedCall = { id, tool, args: parsed.value.value, ...(outer ? { outer } : {}) }
  if (!turn.hooks.tool.call.tapped) return guard(call, tools, turn)
  const rewritten = await turn.hooks.tool.call.call(call, turn)
  if (!rewritten.ok) return refused(rewritten.error.code, rewritten.error.message)
  return guard({ ...call, tool: rewritten.value.tool, args: rewritten.value.args }, tools, turn)
}

/** Runs all guards on a frozen call and on the inner calls that are known in advance. */
export async function guard(call: PreparedCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared> {
  const known = frozenPlan(call, turn)
  if ('kind' in known) return known
  const { frozen, inner } = known
  const own = await ownVerdict(frozen, turn)
  if ('kind' in own) return own
  const calls: Ready[] = []
  for (const [n, one] of inner.entries()) {
    const prepared = await prepareInner(one, frozen, callId(`${call.id}/${n + 1}`), tools, turn)
    if (prepared.kind === 'refused') return prepared
    calls.push(prepared)
  }
  const combined = raisedBy(calls, own)
  if (combined.level === 'deny')
    return refused(
      'TOOL_DENIED',
      `This call is not allowed: ${combined.reasons.join('; ') || 'denied'}`,
    )
  return {
    kind: 'ready',
    call: frozen,
    argsHash: hashOf(frozen.args),
    toolHash: tools.hash(call.tool),
    actionHash: hashOf([frozen.action ? { ...frozen.action } : null, ...calls.map(innerTargetOf)]),
    needs: combined.level === 'allow' ? 'nothing' : combined.level,
    reasons: combined.reasons,
    context: combined.context,
  }
}

/** The frozen call with its action, and the inner calls that are known in advance. */
function frozenPlan(
  call: PreparedCall,
  { bundle }: LoopTurn,
): Refused | { readonly frozen: PreparedCall; readonly inner: readonly InnerCall[] } {
  const { tool } = call
  const args = deepFreeze(clean(call.args))
  const plan = trySync(
    () => ({ action: tool.action?.(args, bundle), inner: tool.inner?.(args, bundle) }),
    messageOf,
  )
  if (!plan.ok)
    return refused('TOOL_FAILED', `"${tool.name}" could not say what it does: ${plan.error}`)
  const { action = ok(undefined), inner = ok([]) } = plan.value
  if (!action.ok) return refused('TOOL_ARGUMENTS', action.error)
  if (!inner.ok) return refused('TOOL_ARGUMENTS', inner.error)
  const goes = action.value && { action: deepFreeze(action.value) }
  return { frozen: Object.freeze({ ...call, args, ...goes }), inner: inner.value }
}

/** The verdict of the tool and the guards on the call itself. */
async function ownVerdict(call: PreparedCall, turn: LoopTurn): Promise<Refused | Verdict> {
  const { tier = 'allow', name } = call.tool
  const toolVerdict =
    tier === 'allow' ? verdict() : verdict(tier, [`"${name}" asks before it runs`])
  const { guard: taps } = turn.hooks.tool
  if (!taps.tapped) return toolVerdict
  const guardVerdict = await taps.call(toolVerdict, call, turn)
  return guardVerdict.ok
    ? guardVerdict.value
    : refused(
        'TOOL_DENIED',
        `This call was refused, because a guard failed: ${guardVerdict.error.message}`,
      )
}

const needsApproval = (call: Ready): call is Ready & { readonly needs: 'confirm' | 'review' } =>
  call.needs !== 'nothing'

/**
 * Raises a verdict to what the inner calls need. A person who approves several sees each of them.
 */
function raisedBy(calls: readonly Ready[], own: Verdict): Verdict {
  const wanting = calls.filter(needsApproval)
  let combined = own
  for (const { needs, reasons, context } of wanting)
    combined = combined.raise(needs, reasons.join('; '), wanting.length === 1 ? context : {})
  return wanting.length > 1
    ? combined.raise('confirm', `it makes ${wanting.length} calls that need an approval`, {
        calls: wanting.map(aboutCall),
      })
    : combined
}

/**
 * Restores a call that was approved or begun before this process owned the run: the guards run once
 * more on the frozen arguments, and any difference from what was approved is refused.
 *
 * @param past the entries of the run that made the call
 */
export async function restore(
  state: CallState,
  tools: ToolSet,
  turn: LoopTurn,
  past: readonly SequencedEntry[] = turn.parts.past,
): Promise<Prepared> {
  const frozenEntry = past.filter(isFrozen).findLast(({ call }) => call === state.id)
  const tool = tools.find(frozenEntry?.name ?? state.name)
  if (!frozenEntry || !tool || tools.hash(tool) !== frozenEntry.tool_hash)
    return changed(`The tool "${state.name}" has changed since this call was made.`)
  const args = await argumentsOf(frozenEntry, tools, turn)
  if (!args.ok) return args.error
  const guarded = await guard({ id: state.id, tool, args: args.value }, tools, turn)
  if (guarded.kind === 'refused') return guarded
  // Rules and connections may have been edited since: the approval covers this request only.
  if (frozenEntry.action_hash !== undefined && guarded.actionHash !== frozenEntry.action_hash)
    return changed('The request of this call differs from what was approved.')
  return underRulesOf(approvedLevel(state.id, past), guarded, state)
}

function underRulesOf(approved: Ready['needs'], call: Ready, { phase }: CallState): Prepared {
  if (!needsMore(call.needs, approved)) return call
  // A call in flight may have taken effect, so it is finished under the old rules, and its inner
  // calls may need no more than those.
  return phase === 'running'
    ? { ...call, needs: approved }
    : changed('The rules for this call are stricter than when it was approved.')
}

const changed = (message: string): Refused => refused('TOOL_CHANGED', message)

/** The exact arguments that were approved or begun. */
async function argumentsOf(
  frozenEntry: SequencedEntry<InputAsked | ToolIntent>,
  tools: ToolSet,
  turn: LoopTurn,
): Promise<Result<JsonObject, Refused>> {
  const found = await foundArguments(frozenEntry, tools, turn)
  if (!found.ok) return found
  return found.value !== undefined && hashOf(found.value) === frozenEntry.args_hash
    ? ok(found.value)
    : err(changed('The arguments are not those that were approved.'))
}

/**
 * Reads the arguments from the entry, in clear or sealed; otherwise prepares the call anew from the
 * model's reply.
 */
async function foundArguments(
  frozenEntry: SequencedEntry<InputAsked | ToolIntent>,
  tools: ToolSet,
  turn: LoopTurn,
): Promise<Result<JsonObject | undefined, Refused>> {
  const sealer = turn.parts.generation.scope.find(Sealer)
  // a question seals the values that it does not show
  const holdsArguments = frozenEntry.kind === 'tool_intent' || frozenEntry.ask_type === 'approval'
  if (frozenEntry.sealed !== undefined && holdsArguments && sealer) {
    const opened = sealer.open(turn.parts.ref, frozenEntry.sealed)
    // sealed by us, and its hash is compared
    if (opened.ok) return ok(parseExact(opened.value) as JsonObject)
  }
  if (frozenEntry.kind === 'tool_intent' && frozenEntry.args !== undefined)
    return ok(frozenEntry.args)
  const reply = turn.reply?.calls.find(({ id }) => id === frozenEntry.call)
  if (!reply) return ok(undefined)
  const prepared = await prepare(reply, tools, turn)
  return prepared.kind === 'refused' ? err(prepared) : ok(prepared.call.args)
}

/**
 * The level of the last approval that was asked for this call; a call without one had no approval.
 */
function approvedLevel(call: CallId, past: readonly SequencedEntry[]): Ready['needs'] {
  const approvalAsk = past.findLast(
    (entry) => entry.kind === 'input_asked' && entry.call === call && entry.ask_type === 'approval',
  )
  if (approvalAsk?.kind !== 'input_asked') return 'nothing'
  return approvalAsk.context['tier'] === 'review' ? 'review' : 'confirm'
}

const NEEDS: Readonly<Record<Ready['needs'], number>> = { nothing: 0, confirm: 1, review: 2 }

/** Whether a call needs a higher level than was approved. */
export const needsMore = (needs: Ready['needs'], approved: Ready['needs']): boolean =>
  NEEDS[needs] > NEEDS[approved]

/**
 * The target of an inner call. Its arguments are left out, since they may depend on the time; the
 * guards check them when the call is made.
 */
function innerTargetOf({ call: { action } }: Ready): Json {
  return action ? [action.connection, action.origin ?? '', action.method, action.path] : null
}

/** Describes an inner call in an approval of several. */
function aboutCall({ call: { tool, args, action }, needs, reasons, context }: Ready): JsonObject {
  return {
    ...(action
      ? { endpoint: action.path, method: action.method, connection_name: action.connection }
      : {}),
    ...context,
    tool: tool.name,
    params: args,
    tier: needs,
    reason: reasons.join('; '),
  }
}

const isFrozen = (entry: SequencedEntry): entry is SequencedEntry<InputAsked | ToolIntent> =>
  entry.kind === 'input_asked' || entry.kind === 'tool_intent'
