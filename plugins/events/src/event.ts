import {
  isId,
  isObject,
  principalId,
  tenantId,
  type Audience,
  type Json,
  type JsonObject,
  type OutputRedactor,
  type RuntimeEvent,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/** A published event: its type, and fields that are strings, numbers or booleans. */
export type PublicEvent = Readonly<Record<string, string | number | boolean>> & {
  readonly type: string
}

/** Maximum characters of one field: an event announces a change and does not contain it. */
const MOST = 300
/** The last ms that a `Date` can represent. */
const LAST_MS = 8.64e15
/** Fields that identify the subject of an event for a client. */
const IDS: ReadonlySet<string> = new Set([
  'type',
  'sessionId',
  'appId',
  'source',
  'operation',
  'targetType',
])

/** The event with redacted, truncated fields. */
export function publicEvent(
  event: RuntimeEvent,
  redactor: OutputRedactor | undefined,
): PublicEvent {
  const shown = (name: string, value: string): string =>
    IDS.has(name) ? value : textStart(redactor?.text(value) ?? value, MOST)
  const fields = Object.entries(event).flatMap(([name, value]: readonly [string, unknown]) =>
    isPlain(value) ? [[name, typeof value === 'string' ? shown(name, value) : value] as const] : [],
  )
  return { ...Object.fromEntries(fields), type: event.type }
}

/**
 * Parses an event of another instance. Validated, because every client of the database can send
 * notifications.
 */
export function readRemoteEvent(
  value: Json | undefined,
): { readonly event: PublicEvent; readonly audience: Audience; readonly at: number } | undefined {
  if (!isObject(value)) return undefined
  const { event, tenant, owner, at } = value
  if (
    !isObject(event) ||
    typeof tenant !== 'string' ||
    !(isId(tenant) || tenant === '*') ||
    typeof at !== 'number' ||
    !Number.isInteger(at) ||
    Math.abs(at) > LAST_MS
  )
    return undefined
  const { type } = event
  if (
    typeof type !== 'string' ||
    !/^([a-z0-9-]+\.)?[a-z0-9_]{1,60}$/.test(type) ||
    !hasPlain(event)
  )
    return undefined
  return {
    event: { ...event, type },
    audience: {
      tenant: tenantId(tenant),
      ...(typeof owner === 'string' && { principal: principalId(owner) }),
    },
    at,
  }
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
const hasPlain = (
  event: JsonObject,
): event is Readonly<Record<string, string | number | boolean>> =>
  Object.values(event).every(isPlain)
