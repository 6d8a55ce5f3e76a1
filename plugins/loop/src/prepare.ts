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
  type Placed,
  type PreparedCall,
  type ReplyCall,
  Sealer,
  type ToolIntent,
  trySync,
} from '@amodal/sdk'
import { clean, verdict } from '@amodal/sdk/loop'
import { refusalOf } from './budget.ts'
import type { ToolSet } from './tool-set.ts'
import type { LoopTurn, Prepared } from './loop-turn.ts'

export type Ready = Extract<Prepared, { kind: 'ready' }>
const refused = (
  code: Failure['code'],
  message: string,
): Extract<Prepared, { kind: 'refused' }> => ({ kind: 'refused', code, message })

/** Tools that call tools that call tools: further down is a circle. */
const MOST_LEVELS = 4

/** The tools of this turn, as the model was told of them. */
export async function toolsOf(turn: LoopTurn): Promise<ToolSet | Failure> {
  const compiled = await turn.parts.compile.compile(turn.parts.generation, turn.bundle, turn)
  return compiled.ok ? compiled.value.tools : compiled.error
}

/** From what the model asked for to a frozen call that every guard has seen. */
export async function prepare(reply: ReplyCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared> {
  if (reply.broken !== undefined) return refused('TOOL_ARGUMENTS', reply.broken)
  const over = refusalOf(reply.id, turn)
  if (over !== undefined) return refused('BUDGET_EXCEEDED', over)
  const tool = tools.find(reply.name)
  if (!tool)
    return refused(
      'TOOL_UNKNOWN',
      `There is no tool "${reply.name}". There are: ${tools.schemas.map(({ name }) => name).join(', ')}.`,
    )
  // checked to be an object when it was read
  const args = trySync(() => JSON.parse(reply.input) as JsonObject, messageOf)
  return args.ok
    ? prepareCall({ id: reply.id, tool, args: args.value }, tools, turn)
    : refused('TOOL_ARGUMENTS', args.error)
}

/** An inner call as far as the guards: hidden tools are found where the outer one names them. */
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
 * Parses → `tool.call` → freezes → `tool.guard`: the way of every call, the model's own and those
 * that tools make.
 */
async function prepareCall(asked: PreparedCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared> {
  const { id, tool, outer } = asked
  const parsed = trySync(() => tool.parse(asked.args), messageOf)
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

/**
 * Asks every guard about a call that cannot change any more, and about those that it is known to
 * make.
 */
export async function guard(call: PreparedCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared> {
  const { tool } = call
  const args = deepFreeze(clean(call.args))
  const action = trySync(() => tool.action?.(args, turn.bundle), messageOf)
  const inner = trySync(() => tool.inner?.(args, turn.bundle), messageOf)
  if (!action.ok || !inner.ok)
    return refused(
      'TOOL_FAILED',
      `"${tool.name}" could not say what it does: ${!action.ok ? action.error : !inner.ok ? inner.error : ''}`,
    )
  if (action.value && !action.value.ok) return refused('TOOL_ARGUMENTS', action.value.error)
  if (inner.value && !inner.value.ok) return refused('TOOL_ARGUMENTS', inner.value.error)

  const frozen: PreparedCall = Object.freeze({
    ...call,
    args,
    ...(action.value ? { action: deepFreeze(action.value.value) } : {}),
  })
  let said =
    tool.tier === undefined || tool.tier === 'allow'
      ? verdict()
      : verdict(tool.tier, [`"${tool.name}" asks before it runs`])
  if (turn.hooks.tool.guard.tapped) {
    const heard = await turn.hooks.tool.guard.call(said, frozen, turn)
    if (!heard.ok)
      return refused(
        'TOOL_DENIED',
        `This call was refused, because a guard failed: ${heard.error.message}`,
      )
    said = heard.value
  }
  const calls: Ready[] = []
  for (const [n, one] of (inner.value?.value ?? []).entries()) {
    const prepared = await prepareInner(one, frozen, callId(`${call.id}/${n + 1}`), tools, turn)
    if (prepared.kind === 'refused') return prepared
    calls.push(prepared)
  }
  const wanting = calls.filter(({ needs }) => needs !== 'nothing')
  for (const one of wanting)
    if (one.needs !== 'nothing')
      said = said.raise(one.needs, one.reasons.join('; '), wanting.length === 1 ? one.context : {})
  // Whoever approves several calls with one answer sees each of them.
  if (wanting.length > 1)
    said = said.raise('confirm', `it makes ${wanting.length} calls that need an approval`, {
      calls: wanting.map(aboutCall),
    })
  if (said.level === 'deny')
    return refused(
      'TOOL_DENIED',
      `This call is not allowed: ${said.reasons.join('; ') || 'denied'}`,
    )
  return {
    kind: 'ready',
    call: frozen,
    argsHash: hashOf(frozen.args),
    toolHash: tools.hash(tool),
    actionHash: hashOf([frozen.action ? { ...frozen.action } : null, ...calls.map(targetOf)]),
    needs: said.level === 'allow' ? 'nothing' : said.level,
    reasons: said.reasons,
    context: said.context,
  }
}

/**
 * A call that was approved, or begun, before this process had the run: the frozen bytes, and the
 * guards again. Anything that is not exactly what was approved is refused.
 *
 * @param past the entries of the run that made the call
 */
export async function restore(
  state: CallState,
  tools: ToolSet,
  turn: LoopTurn,
  past: readonly Placed[] = turn.parts.past,
): Promise<Prepared> {
  const kept = past.filter(isFrozen).findLast(({ call }) => call === state.id)
  const reply = turn.reply?.calls.find(({ id }) => id === state.id)
  const tool = tools.find(kept?.name ?? state.name)
  if (!kept || !tool || tools.hash(tool) !== kept.tool_hash)
    return refused(
      'TOOL_CHANGED',
      `The tool "${state.name}" is not what it was when this call was made.`,
    )
  let args: JsonObject | undefined = kept.kind === 'tool_intent' ? kept.args : undefined
  const sealer = turn.parts.generation.scope.find(Sealer)
  if (kept.sealed !== undefined && sealer) {
    const opened = sealer.open(turn.parts.ref, kept.sealed)
    // sealed by us; its hash is checked below
    if (opened.ok) args = JSON.parse(opened.value) as JsonObject
  }
  if (args === undefined && reply) {
    const again = await prepare(reply, tools, turn)
    if (again.kind === 'refused') return again
    args = again.call.args
  }
  if (args === undefined || hashOf(args) !== kept.args_hash)
    return refused('TOOL_CHANGED', 'The arguments are not those that were approved.')
  const guarded = await guard({ id: state.id, tool, args }, tools, turn)
  if (guarded.kind === 'refused') return guarded
  // Rules and connections may have been edited since: what was approved was this request, under
  // that rule.
  if (kept.action_hash !== undefined && guarded.actionHash !== kept.action_hash)
    return refused('TOOL_CHANGED', 'What this call would do outside is not what was approved.')
  const approved = approvedAs(state.id, past)
  if (!needsMore(guarded.needs, approved)) return guarded
  if (state.phase !== 'running')
    return refused(
      'TOOL_CHANGED',
      'The rules for this call are stricter than when it was approved.',
    )
  // It was begun as it was allowed then, and its effect may be there: it is finished, and may call
  // nothing that needs more.
  return { ...guarded, needs: approved }
}

/**
 * What a person was asked for this call, whatever was asked since; a call that began without asking
 * had nobody's approval.
 */
function approvedAs(call: CallId, past: readonly Placed[]): Ready['needs'] {
  const asked = past.findLast(
    (entry) => entry.kind === 'input_asked' && entry.call === call && entry.ask_type === 'approval',
  )
  if (asked?.kind !== 'input_asked') return 'nothing'
  return asked.context['tier'] === 'review' ? 'review' : 'confirm'
}

const NEEDS: Readonly<Record<Ready['needs'], number>> = { nothing: 0, confirm: 1, review: 2 }

/** Whether a call needs more than was approved. */
export const needsMore = (needs: Ready['needs'], approved: Ready['needs']): boolean =>
  NEEDS[needs] > NEEDS[approved]

/**
 * Where an inner call goes. Its values may come from a clock, and are guarded again when it is
 * made.
 */
function targetOf({ call: { action } }: Ready): Json {
  return action ? [action.connection, action.origin ?? '', action.method, action.path] : null
}

/** For the person who is asked about several. */
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

const isFrozen = (entry: Placed): entry is Placed<InputAsked | ToolIntent> =>
  entry.kind === 'input_asked' || entry.kind === 'tool_intent'
