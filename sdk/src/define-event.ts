import { registry, type Json } from '@amodal/kernel'
import type { PluginEvent } from './agent-event.ts'
import type { z } from 'zod'
import type { PluginRuntimeEvent } from './ports/runtime-event.ts'

type Type = PluginEvent['type']

/** What is known of an event of a plugin's own. */
export interface EventKind {
  readonly type: Type
  /** `session`: in the stream of a conversation. `server`: in `GET /api/events`. */
  readonly in: 'session' | 'server'
  /** When it is emitted, for a reader who does not know it. */
  readonly about: string
  /** JSON Schema of its data. */
  jsonSchema(): Json
}

/** The events that plugins have of their own, by type. `definePlugin` fills it. */
export const EventKinds = registry<EventKind>('event-kinds')

/** Called with data, it makes the event. */
export interface SessionEventKind<D extends z.ZodType<Json> = z.ZodType<Json>> extends EventKind {
  (data: z.input<D>): PluginEvent
}

/** Called with its fields, it makes the event. */
export interface RuntimeEventKind<
  F extends z.ZodObject<z.ZodRawShape> = z.ZodObject<z.ZodRawShape>,
> extends EventKind {
  (fields: z.input<F>): PluginRuntimeEvent
}

interface Definition<S> {
  /** The name of the plugin, a dot, and what it is: `office-hours.closed`. */
  readonly type: Type
  readonly about: string
  readonly data: S
}

/**
 * Defines an event of a plugin for the stream of a conversation. The plugin lists it under
 * `events`; a tool returns it with its result. It is stored with the result, is emitted on every
 * replay, and reaches clients as `{ type, timestamp, data }`.
 *
 * @example
 * export const Closed = defineEvent({
 *   type: 'office-hours.closed',
 *   about: 'The person was informed that the office is closed.',
 *   data: z.object({ opens: z.number() }),
 * })
 * // in a tool: return { status: 'success', output: 'closed', events: [Closed({ opens: 9 })] }
 */
export function defineEvent<D extends z.ZodType<Json>>({
  type,
  about,
  data: schema,
}: Definition<D>): SessionEventKind<D> {
  const make = (data: z.input<D>): PluginEvent => ({ type, data: parsed(type, schema, data) })
  return kind(make, { type, in: 'session', about, schema })
}

/** The fields that every event of the server has, in addition to those of its type. */
const FIELDS_OF_ALL = ['type', 'seq', 'timestamp'] as const

/**
 * Defines an event of a plugin's own for those who watch the server (`GET /api/events`). The plugin
 * lists it under `events` and tells it with `announce`. Its fields are texts, numbers and truths:
 * it says that something changed, not what it is now.
 *
 * @example
 * export const Opened = defineRuntimeEvent({
 *   type: 'office-hours.opened',
 *   about: 'The office has opened.',
 *   data: z.object({ until: z.number() }),
 * })
 * // later: announce(generation(), Opened({ until: 17 }), { tenant: SHARED_TENANT })
 */
export function defineRuntimeEvent<F extends z.ZodObject<z.ZodRawShape>>({
  type,
  about,
  data: schema,
}: Definition<F>): RuntimeEventKind<F> {
  const taken = FIELDS_OF_ALL.filter((name) => Object.hasOwn(schema.shape, name))
  if (taken.length > 0)
    throw new TypeError(
      `the event ${type} cannot have a field ${taken.join(', ')}: every event has one; give it another name`,
    )
  const make = (fields: z.input<F>): PluginRuntimeEvent => ({
    ...(parsed(type, schema, fields) as Readonly<Record<string, string | number | boolean>>),
    type,
  })
  return kind(make, { type, in: 'server', about, schema })
}

const kind = <M extends object>(
  make: M,
  { schema, ...more }: Omit<EventKind, 'jsonSchema'> & { readonly schema: z.ZodType },
): M & EventKind =>
  Object.freeze(
    Object.assign(make, {
      ...more,
      // an own copy: what zod makes has a function in it
      jsonSchema: () =>
        JSON.parse(JSON.stringify(schema.toJSONSchema({ unrepresentable: 'any' }))) as Json,
    }),
  )

function parsed<S extends z.ZodType>(type: string, schema: S, data: unknown): z.output<S> {
  const read = schema.safeParse(data)
  if (read.success) return read.data
  const wrong = read.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'data'}: ${message}`,
  )
  throw new TypeError(`the event ${type} is told with other data: ${wrong.join('; ')}`)
}
