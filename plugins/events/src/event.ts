import {
  isId,
  isObject,
  principalId,
  tenantId,
  type Audience,
  type Json,
  type JsonObject,
  type Outgoing,
  type RuntimeEvent,
} from '@amodal/sdk'

/** An event as it is told: its type, and texts, numbers and truths beside it. */
export type Told = Readonly<Record<string, string | number | boolean>> & { readonly type: string }

/** Characters of one field: an event says that something changed, not what it is now. */
const MOST = 300
/** The last ms that a date can say. */
const LAST_MS = 8.64e15
/** By these a client finds what an event is about. */
const IDS: ReadonlySet<string> = new Set([
  'type',
  'sessionId',
  'appId',
  'source',
  'operation',
  'targetType',
])

/** Without what may not leave, and short. */
export function cleaned(event: RuntimeEvent, outgoing: Outgoing | undefined): Told {
  const shown = (name: string, value: string): string =>
    IDS.has(name) ? value : (outgoing?.text(value) ?? value).slice(0, MOST)
  const fields = Object.entries(event).flatMap(([name, value]: readonly [string, unknown]) =>
    isPlain(value) ? [[name, typeof value === 'string' ? shown(name, value) : value] as const] : [],
  )
  return { ...Object.fromEntries(fields), type: event.type }
}

/**
 * What another instance has told, where it is that; anyone who may connect to the database may send
 * anything.
 */
export function readTold(
  said: Json | undefined,
): { readonly event: Told; readonly audience: Audience; readonly at: number } | undefined {
  if (!isObject(said)) return undefined
  const { event, tenant, owner, at } = said
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
      ...(typeof owner === 'string' && { owner: principalId(owner) }),
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
