import {
  type AgentEvent,
  truncate,
  isReadOnly,
  type Json,
  messageOf,
  type PreparedCall,
  Scrubber,
  type ToolResult,
  ok,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { EventKinds } from '@amodal/sdk/wire'
import { withDeadline } from '@amodal/sdk/loop'
import { isPluginEvent } from '@amodal/sdk/wire'
import { isDeep } from './json-depth.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { SCRUB_MS } from './scrub-message.ts'

export function isResult(result: unknown): result is ToolResult {
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
 * Scrubs a result before taps, journal and model see it. A step that fails withholds the result.
 */
export async function cleanedResult(
  raw: ToolResult,
  call: PreparedCall,
  turn: LoopTurn,
): Promise<ToolResult> {
  const { scope } = turn.parts.generation
  const { result: tap } = turn.hooks.tool
  try {
    const scrubber = scope.find(Scrubber)
    const scrubbed = scrubber
      ? await withDeadline(() => scrubber.scrub(raw, call, turn), SCRUB_MS)
      : raw
    const tapped = tap.tapped ? await tap.call(scrubbed, call, turn) : ok(scrubbed)
    if (!tapped.ok) throw tapped.error
    if (!isResult(tapped.value)) throw new Error('a tap of tool.result returned no result')
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

/** The result in the form of the journal: JSON, each part truncated to `limit` characters. */
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
  // JSON that is nested too deeply becomes a text, since a message that no provider accepts would
  // fail every later turn. Otherwise the text was just serialized.
  return text.length > limit || isDeep(text) ? truncate(text, limit) : (parseExact(text) as Json)
}

/** Replaces an event that no plugin declares by a warning, since clients could not interpret it. */
export function declared(event: AgentEvent, { parts: { generation } }: LoopTurn): AgentEvent {
  if (!isPluginEvent(event) || generation.registry(EventKinds).get(event.type)?.in === 'session')
    return event
  const message = `the event "${event.type}" is left out: no plugin lists it under \`events\``
  return { type: 'warning', message, code: 'UNDECLARED' }
}

/** The events that fit into the limit together; events are not truncated. */
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
