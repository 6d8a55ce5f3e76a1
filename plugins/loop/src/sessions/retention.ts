import {
  isId,
  tenantId,
  type KeepTime,
  type KeepTimes,
  type Retention,
  type SessionKind,
} from '@amodal/sdk'
import { z } from 'zod'

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const WEEK_MS = 7 * UNITS.d
const NEVER = 'never'

const Time = z
  .string()
  .regex(
    /^(?:never|\d{1,9}(?:ms|s|m|h|d))$/,
    'takes a time such as "90m", "12h" or "30d", or "never"',
  )

const KeepTimeSettings = z
  .strictObject({
    /** The time without a message until a session is idle. */
    idleAfter: Time.optional(),
    /** The time of being idle until its history is deleted. */
    expireAfter: Time.optional(),
  })
  .optional()

const Kinds = z.strictObject({
  chat: KeepTimeSettings,
  automation: KeepTimeSettings,
  'agent-run': KeepTimeSettings,
  admin: KeepTimeSettings,
})

/** How long sessions are kept: by kind, and by kind for named tenants. */
export const RetentionSettings = Kinds.extend({
  tenants: z.record(z.string().refine(isId, 'is no name of a tenant'), Kinds).optional(),
}).default({})
export type RetentionSettings = Readonly<z.output<typeof RetentionSettings>>

/**
 * The retention that the settings define. Histories of unattended runs are kept for a week at
 * least, so that people can inspect them later.
 *
 * @param ttlMs for what the settings leave out; 0: never
 */
export function retentionOf(
  { tenants = {}, ...kinds }: RetentionSettings,
  ttlMs: number,
): Retention {
  const ttl = ttlMs > 0 ? ttlMs : undefined
  const run: KeepTime = { idleMs: ttl, expireMs: ttl && Math.max(ttl, WEEK_MS) }
  const talk: KeepTime = { idleMs: ttl, expireMs: ttl }
  const all = timesOf(kinds, { chat: talk, automation: run, 'agent-run': run, admin: talk })
  return {
    kinds: all,
    tenants: new Map(
      Object.entries(tenants).map(([tenant, own]) => [tenantId(tenant), timesOf(own, all)]),
    ),
  }
}

/** The shortest of all times in ms; `undefined` where everything is kept for ever. */
export function shortestOf({ kinds, tenants }: Retention): number | undefined {
  const times = [kinds, ...tenants.values()].flatMap((one) => Object.values(one))
  const limits = times.flatMap(({ idleMs, expireMs }) => [idleMs ?? [], expireMs ?? []].flat())
  return limits.length === 0 ? undefined : Math.min(...limits)
}

function timesOf(given: z.output<typeof Kinds>, otherwise: KeepTimes): KeepTimes {
  const timeOf = (kind: SessionKind): KeepTime => {
    const { idleAfter, expireAfter } = given[kind] ?? {}
    const { idleMs, expireMs } = otherwise[kind]
    return { idleMs: msOf(idleAfter, idleMs), expireMs: msOf(expireAfter, expireMs) }
  }
  return {
    chat: timeOf('chat'),
    automation: timeOf('automation'),
    'agent-run': timeOf('agent-run'),
    admin: timeOf('admin'),
  }
}

/** @param text that fits the schema */
function msOf(text: string | undefined, otherwise: number | undefined): number | undefined {
  if (text === undefined) return otherwise
  if (text === NEVER) return undefined
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  const known = Object.entries(UNITS).find(([name]) => name === unit)
  return known ? Number(amount) * known[1] : otherwise
}
