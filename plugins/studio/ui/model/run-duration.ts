import type { RunSummary } from '@amodal/sdk/client'

/** ms that a run took so far; `undefined` before it began. */
export function durationOf(
  { started_at: from, completed_at: to }: Pick<RunSummary, 'started_at' | 'completed_at'>,
  now: number,
): number | undefined {
  if (from === null) return undefined
  return Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from))
}
