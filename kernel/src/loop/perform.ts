import { PluginError } from '../errors.ts'
import type { JournalEntry, OutcomeStatus } from '../journal/entry.ts'
import type { Json } from '../messages.ts'
import { Scrubber, type PreparedCall, type ToolResult } from '../ports/tool.ts'
import { messageOf } from '../result.ts'
import { deadline } from '../time.ts'
import type { Turn } from './turn.ts'

export interface Performed { readonly result: ToolResult; readonly ms: number; /** The effect may have happened although nobody said so. */ readonly unknown: boolean }

/** Runs one call with its deadline and cleans what it gives: scrub → `tool.result` → `tool.done`. Never throws. */
export async function perform(call: PreparedCall, turn: Turn): Promise<Performed> {
  const { tool, id, args } = call
  const ms = tool.timeoutMs ?? turn.parts.settings.toolMs
  const begun = turn.parts.clock.monotonic()
  turn.progress({
    type: 'tool_call_start', tool_name: tool.name, tool_id: id, parameters: args,
    ...(tool.runningLabel === undefined ? {} : { running_label: tool.runningLabel }),
    ...(tool.completedLabel === undefined ? {} : { completed_label: tool.completedLabel }),
    ...(tool.internal ? { internal: true } : {}),
  })
  if (!tool.readOnly && turn.lease.left() <= turn.lease.margin) {
    return { result: { status: 'error', code: 'LEASE_LOST', message: 'This process may not act for the session any more.' }, ms: 0, unknown: true }
  }
  const limit = deadline(turn.signal, ms)
  turn.parts.alive(ms)
  const raw = await execute(call, turn, limit.signal, ms)
  limit.clear()
  turn.parts.alive()
  const result = await cleaned(raw.result, call, turn)
  if (turn.hooks.tool.done.tapped) void turn.hooks.tool.done.call(call, result, turn)
  return { result, ms: Math.round(turn.parts.clock.monotonic() - begun), unknown: raw.interrupted && !tool.readOnly }
}

async function execute(call: PreparedCall, turn: Turn, signal: AbortSignal, ms: number): Promise<{ readonly result: ToolResult; readonly interrupted: boolean }> {
  const { tool, id, args } = call
  const interrupted = new Promise<'interrupted'>((resolve) => signal.addEventListener('abort', () => resolve('interrupted'), { once: true }))
  try {
    if (signal.aborted) return { result: { status: 'error', message: 'The turn was stopped before this ran.' }, interrupted: false }
    const running = tool.execute(args, {
      tenant: turn.tenant, session: turn.session, run: turn.run, call: id, principal: turn.principal, bundle: turn.bundle,
      key: `${turn.run}:${id}`, signal, lease: turn.lease, log: turn.log, scope: turn.scope, progress: turn.progress,
    })
    running.catch(() => undefined) // a tool that outlives its deadline is not listened to any more
    const first = await Promise.race([running, interrupted])
    if (first !== 'interrupted') return { result: first, interrupted: false }
    return turn.signal.aborted
      ? { result: { status: 'error', message: 'The turn was stopped while this ran.' }, interrupted: true }
      : { result: { status: 'error', code: 'TOOL_TIMEOUT', message: `"${tool.name}" did not answer within ${ms} ms.` }, interrupted: true }
  } catch (cause) {
    const message = PluginError.is(cause) ? cause.message : `"${tool.name}" failed: ${messageOf(cause)}`
    turn.log.warn('tool_failed', { tool: tool.name, call: id, error: message })
    return { result: { status: 'error', code: 'TOOL_FAILED', message }, interrupted: signal.aborted }
  }
}

/** Before any tap, the journal or the model sees it: scrubbed. A step that fails withholds the result. */
async function cleaned(result: ToolResult, call: PreparedCall, turn: Turn): Promise<ToolResult> {
  const withheld = (message: string): ToolResult => ({ status: 'error', code: 'PLUGIN_FAILED', message: `The result was withheld: ${message}` })
  let current = result
  const scrubber = turn.parts.generation.scope.find(Scrubber)
  if (scrubber) {
    try {
      current = await scrubber.scrub(current, call)
    } catch (cause) {
      turn.log.error('scrub_failed', { tool: call.tool.name, error: messageOf(cause) })
      return withheld('cleaning it failed')
    }
  }
  if (turn.hooks.tool.result.tapped) {
    const tapped = await turn.hooks.tool.result.call(current, call, turn)
    if (!tapped.ok) return withheld(tapped.error.message)
    current = tapped.value
  }
  return current.status === 'success' ? { ...current, output: cut(current.output, turn.parts.settings.outputChars) } : current
}

function cut(output: Json, limit: number): Json {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  if (text === undefined) return null
  return text.length <= limit ? output : `${text.slice(0, limit)}\n… [cut: ${text.length} characters, ${limit} kept]`
}

/** The outcome entry of a call that ran. Questions have none until they are answered. */
export function outcome(call: PreparedCall, { result, ms, unknown }: Performed, turn: Turn): JournalEntry {
  const common = { kind: 'tool_outcome' as const, call: call.id, name: call.tool.name, ms }
  if (result.status === 'success') {
    return turn.fact({
      ...common, status: 'success', output: result.output,
      ...(result.content ? { content: result.content } : {}), ...(result.events ? { events: result.events } : {}), ...(result.ends ? { ends: true } : {}),
    })
  }
  const status: OutcomeStatus = unknown ? 'unknown' : 'error'
  const message = result.status === 'error' ? result.message : 'The tool asked a question that cannot be asked here.'
  return turn.fact({
    ...common, status, ...(result.status === 'error' && result.code !== undefined ? { code: result.code } : {}),
    output: unknown ? `${message} Whether it took effect is unknown: check before repeating it.` : result.status === 'error' && result.output !== undefined ? result.output : message,
  })
}
