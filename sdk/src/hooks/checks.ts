import type { RouteVerdict } from '../ports/model.ts'
import { VERDICT_ORDER, type Verdict } from '../ports/verdict.ts'

// What a hook may not do to a value: each returns the reason why a value is refused, or nothing.

export function onlyRaised(after: Verdict, before: Verdict): string | undefined {
  if (!Object.hasOwn(VERDICT_ORDER, after.level))
    return `returned a verdict without a known level (${Object.keys(VERDICT_ORDER).join(', ')})`
  return VERDICT_ORDER[after.level] < VERDICT_ORDER[before.level]
    ? `lowered a verdict from ${before.level} to ${after.level}`
    : undefined
}

const FIELD_OF_ACTION: Readonly<Record<string, string>> = { use: 'config', wait: 'afterMs' }

/** A model, or what else to do. */
export const aRoute = (verdict: RouteVerdict): string | undefined => {
  if (!('action' in verdict)) return has('provider', 'model')(verdict)
  return has(FIELD_OF_ACTION[verdict.action] ?? 'reason')(verdict)
}

/** For values whose type alone keeps them in shape: what is read next has to be there. */
export const has =
  (...keys: readonly string[]) =>
  (after: object): string | undefined => {
    const missing = keys.filter(
      (key) => (after as Readonly<Record<string, unknown>>)[key] === undefined,
    ) // any object may be asked
    return missing.length > 0 ? `returned an object without ${missing.join(', ')}` : undefined
  }
