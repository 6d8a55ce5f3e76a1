import type { JsonObject } from '@amodal/kernel'

export type VerdictLevel = 'allow' | 'confirm' | 'review' | 'deny'
export const VERDICT_ORDER: Readonly<Record<VerdictLevel, number>> = {
  allow: 0,
  confirm: 1,
  review: 2,
  deny: 3,
}

/** What the guards say of a call. It is only ever raised. */
export interface Verdict {
  readonly level: VerdictLevel
  readonly reasons: readonly string[]
  /** For the person who decides: endpoint, method, what it does. */
  readonly context: JsonObject
  raise(level: VerdictLevel, reason: string, context?: JsonObject): Verdict
}

export function verdict(
  level: VerdictLevel = 'allow',
  reasons: readonly string[] = [],
  context: JsonObject = {},
): Verdict {
  return Object.freeze({
    level,
    reasons,
    context,
    raise(to: VerdictLevel, reason: string, more: JsonObject = {}): Verdict {
      const higher = VERDICT_ORDER[to] > VERDICT_ORDER[level] ? to : level
      return verdict(higher, [...reasons, reason], { ...context, ...more })
    },
  })
}
