import { defined, newRunId } from '@amodal/sdk/loop'
import { type InboxBody, NO_USAGE, type RunRecord } from '@amodal/sdk'

interface RunStart {
  /** The last entry before the run. */
  readonly head: number
  readonly bundle: string
  /** The default and upper limit of turns. */
  readonly maxTurns: number
  /** ms since the epoch. */
  readonly now: number
  /** A previous worker crashed on this message. */
  readonly afterCrash: boolean
}

/** The record of a run that begins with this message. */
export function newRun(
  body: InboxBody,
  { head, bundle, maxTurns: most, now, afterCrash }: RunStart,
): RunRecord {
  const message = body.kind === 'message' ? body : undefined
  const limits = message?.limits ?? {}
  return {
    run: newRunId(),
    principal: body.principal,
    started_at: now,
    from: head,
    max_turns: Math.min(limits.maxTurns ?? most, most),
    usage: NO_USAGE,
    redirects: 0,
    recovery: afterCrash ? { count: 1, since: now } : { count: 0, since: 0 },
    bundle,
    ...defined({
      roles: 'roles' in body ? body.roles : undefined,
      delegated: message?.delegated,
      max_tokens: limits.maxSessionTokens,
      max_cost: limits.maxSessionCost,
      max_seconds: limits.timeoutSeconds,
      on_max_turns: limits.onMaxTurns,
      tier: limits.tier,
      model: limits.model,
    }),
  }
}
