import { type InboxBody, NO_USAGE, runId, type RunRecord } from '@amodal/sdk'
import { randomUUID } from 'node:crypto'

interface Beginning {
  /** The last entry before it. */
  readonly head: number
  readonly bundle: string
  /** Turns where the request asks for none, and at most. */
  readonly maxTurns: number
  /** ms since the epoch. */
  readonly now: number
  /** Somebody may have died of this message before. */
  readonly again: boolean
}

/** What the lane keeps of a run that begins with this message. */
export function newRun(
  body: InboxBody,
  { head, bundle, maxTurns: most, now, again }: Beginning,
): RunRecord {
  const message = body.kind === 'message' ? body : undefined
  const {
    maxTurns = most,
    maxSessionTokens,
    maxSessionCost,
    timeoutSeconds,
    tier,
    model,
  } = message?.limits ?? {}
  return {
    run: runId(`run_${randomUUID()}`),
    principal: body.principal,
    ...(message?.roles ? { roles: message.roles } : {}),
    ...(message?.delegated ? { delegated: true } : {}),
    started_at: now,
    from: head,
    max_turns: Math.min(maxTurns, most),
    usage: NO_USAGE,
    redirects: 0,
    recovery: again ? { count: 1, since: now } : { count: 0, since: 0 },
    bundle,
    ...(maxSessionTokens === undefined ? {} : { max_tokens: maxSessionTokens }),
    ...(maxSessionCost === undefined ? {} : { max_cost: maxSessionCost }),
    ...(timeoutSeconds === undefined ? {} : { max_seconds: timeoutSeconds }),
    ...(tier ? { tier } : {}),
    ...(model ? { model } : {}),
  }
}
