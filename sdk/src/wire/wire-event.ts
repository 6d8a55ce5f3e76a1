import type { Json, JsonObject, Usage } from '@amodal/kernel'
import type { AgentEvent, AgentEvents, EventType, PluginEvent, WireUsage } from '../agent-event.ts'
import { frameId, type Frame } from '../ports/frame.ts'
import { redact } from '../redact.ts'

/** An event as clients get it: what happened, when, and the second spellings of some fields. */
export type WireEvent = AgentEvent & { readonly timestamp: string }

type Aliases = { readonly [K in EventType]?: (event: AgentEvents[K]) => JsonObject }

/**
 * Fields for older clients, in addition to the canonical ones; and parameters in the form that may
 * be shown.
 */
const ALIASES: Aliases = {
  init: (event) => ({ sessionId: event.session_id }),
  done: (event) => (event.last_call_usage ? { lastCallUsage: { ...event.last_call_usage } } : {}),
  text_delta: (event) => ({ delta: event.content }),
  reasoning_delta: (event) => ({ delta: event.content }),
  tool_call_start: (event) => {
    const parameters = redact(event.parameters)
    return { name: event.tool_name, id: event.tool_id, parameters, args: parameters }
  },
  tool_call_result: (event) => ({ id: event.tool_id, ...shown('parameters', event.parameters) }),
  tool_log: (event) => ({ name: event.tool_name }),
  tool_label_update: (event) => ({ id: event.tool_id }),
  subagent_event: (event) => shown('tool_args', event.tool_args),
  confirmation_required: (event) => ({
    params: redact(event.params),
    pending_input_context: redact(event.pending_input_context),
  }),
  llm_end: ({ message }) => ({
    message: {
      ...message,
      usage: { ...message.usage },
      content: message.content.map((part) =>
        part.type === 'tool_call' ? { ...part, parameters: redact(part.parameters) } : part,
      ),
    },
  }),
  retry: (event) => (event.profile_id === undefined ? {} : { profileId: event.profile_id }),
  skill_activated: (event) => ({ skill: event.skill_name }),
}

const shown = (name: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [name]: redact(value) }

/** Whether it is a plugin's own: it has no second spellings, and no name in older formats. */
export const isPluginEvent = (event: AgentEvent): event is PluginEvent => event.type.includes('.')

function aliasesOf<K extends EventType>(event: { readonly type: K } & AgentEvents[K]): JsonObject {
  return ALIASES[event.type]?.(event) ?? {}
}

/**
 * An event in the form that leaves the product: `type`, an ISO `timestamp`, the canonical
 * snake_case fields and the second spellings (`sessionId`, `delta`, `name`, `id`, `args`, `skill`).
 * Values of parameters whose name is a secret's are `[REDACTED]`.
 *
 * @example
 * wireEvent({ at: 0, event: { type: 'text_delta', content: 'hi' } })
 * // { type: 'text_delta', timestamp: '1970-01-01T00:00:00.000Z', content: 'hi', delta: 'hi' }
 */
export function wireEvent(frame: Pick<Frame, 'at' | 'event'>): WireEvent {
  return Object.assign(
    { ...frame.event, timestamp: new Date(frame.at).toISOString() },
    isPluginEvent(frame.event) ? {} : aliasesOf(frame.event),
  )
}

const DETAILS: ReadonlySet<string> = new Set<EventType>(['llm_start', 'llm_end', 'retry'])

/**
 * Whether an event is for those alone who ask for all of them (`events: 'all'`): how the model is
 * called.
 */
export const isDetail = ({ type }: Pick<AgentEvent, 'type'>): boolean => DETAILS.has(type)

/** Tokens as clients see them: cached tokens are part of the input. */
export function wireUsage(usage: Usage): WireUsage {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cached_tokens: usage.cacheRead,
    ...(usage.cacheWrite === 0 ? {} : { cache_creation_tokens: usage.cacheWrite }),
    total_tokens: usage.input + usage.output,
  }
}

/**
 * The usage of a run. Tokens read from and written to the cache are those of the last call, since
 * each call counts the whole conversation.
 */
export function wireRunUsage({
  usage,
  last_usage: last,
}: {
  readonly usage: Usage
  readonly last_usage?: Usage | undefined
}): WireUsage {
  return wireUsage({ ...usage, cacheRead: last?.cacheRead ?? 0, cacheWrite: last?.cacheWrite ?? 0 })
}

/**
 * A frame as text of an event stream (`text/event-stream`): an `id` line to resume from, an `event`
 * line, and one `data` line with the type in it too, so that parsers of either kind work.
 */
export function frameText(frame: Frame): string {
  const { event } = frame
  if (event.type !== 'text_delta')
    return `id: ${frameId(frame.id)}\nevent: ${event.type}\ndata: ${oneLine(wireEvent(frame))}\n\n`
  // By far the most frequent event: only its text is worth a serialiser.
  const text = oneLine(event.content)
  return `id: ${frameId(frame.id)}\nevent: text_delta\ndata: {"type":"text_delta","timestamp":"${new Date(frame.at).toISOString()}","content":${text},"delta":${text}}\n\n`
}

/** Names that clients of an older format listen for. */
const LEGACY: Readonly<Partial<Record<EventType, string>>> = {
  text_delta: 'text',
  tool_call_start: 'tool_call',
  confirmation_required: 'ConfirmationRequired',
  explore_start: 'ExploreStart',
  explore_end: 'ExploreEnd',
  plan_mode: 'PlanMode',
  field_scrub: 'FieldScrub',
}

/**
 * The same as {@link frameText} with the names of the older format (`text`, `tool_call`,
 * `ConfirmationRequired`, …); the fields are the same.
 */
export function legacyFrameText(frame: Frame): string {
  const name = isPluginEvent(frame.event) ? undefined : LEGACY[frame.event.type]
  return name === undefined
    ? frameText(frame)
    : `id: ${frameId(frame.id)}\nevent: ${name}\ndata: ${oneLine({ ...wireEvent(frame), type: name })}\n\n`
}

/** A frame without its `event` line: a browser gives all of them to the listener of `message`. */
export const plainFrameText = (frame: Frame): string =>
  `id: ${frameId(frame.id)}\ndata: ${oneLine(wireEvent(frame))}\n\n`

/**
 * JSON in one line for every reader: the standard knows CR and LF only, but many a parser splits at
 * these as well.
 */
const oneLine = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
