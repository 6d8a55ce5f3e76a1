import {
  type Clock,
  type HookTaps,
  isReadOnly,
  type JsonObject,
  type PreparedCall,
  timeLimit,
} from '@amodal/sdk'
import { draftsOf, sessionStart, shown } from './lines-of.ts'
import type { Trail } from './trail.ts'

/**
 * ms that an effect waits for its line. Long enough for a slow or restarting database, so that a
 * person's approval is not lost.
 */
const WRITE_MS = 20_000
const GUARD_MS = WRITE_MS + 2_000

/** Where the lines come from. */
export function auditHooks({ tool, journal, session }: HookTaps, trail: Trail, clock: Clock): void {
  // Last, so that it sees the decisions of all other taps. Nothing is changed before this
  // line is committed.
  tool.guard.tap(
    async (verdict, call, { tenant, session: at, run, principal, signal }) => {
      const draft = (kind: string, key: string) => ({
        tenant,
        session: at,
        run,
        principal,
        at: clock.now(),
        kind,
        key: `${run}:${call.id}:${key}`,
        data: { ...aboutCall(call), verdict: verdict.level, reasons: [...verdict.reasons] },
      })
      if (verdict.level === 'deny') {
        trail.record(draft('tool_denied', 'denied'))
        return undefined
      }
      if (isReadOnly(call)) return undefined
      const kept = await trail.write(
        draft('write_op', `write:${verdict.level}`),
        timeLimit(WRITE_MS, 'writing to the audit log', signal),
      )
      return kept.ok
        ? undefined
        : verdict.raise(
            'deny',
            `${kept.error.message}; nothing is changed until it can be (AUDIT_UNAVAILABLE)`,
          )
    },
    { stage: 'last', timeoutMs: GUARD_MS },
  )
  // Calls that tools make have no entries of their own.
  tool.done.tap((call, result, { tenant, session: at, run, principal }) => {
    if (!call.outer) return
    trail.record({
      tenant,
      session: at,
      run,
      principal,
      at: clock.now(),
      kind: 'tool_call',
      key: `${run}:${call.id}:done`,
      data: { ...aboutCall(call), status: result.status },
    })
  })
  journal.write.tap(
    (entry, ctx) => {
      for (const draft of draftsOf(entry, ctx)) trail.recordJournaled(draft)
      return undefined
    },
    { stage: 'last' },
  )
  session.open.tap(({ tenant, session: at, principal }, { fresh }) => {
    if (fresh) trail.recordJournaled(sessionStart({ tenant, session: at, principal }, clock.now()))
    return undefined
  })
  session.close.tap(({ tenant, session: at, principal }, reason) => {
    trail.record({
      tenant,
      session: at,
      principal,
      at: clock.now(),
      kind: 'session_end',
      key: `${at}:end:${reason}`,
      data: { reason },
    })
  })
}

function aboutCall({ id, tool, args, action, outer }: PreparedCall): JsonObject {
  return {
    call: id,
    tool: tool.name,
    params: shown(args),
    ...(action
      ? { connection: action.connection, method: action.method, endpoint: action.path }
      : {}),
    ...(outer ? { by: outer.tool.name } : {}),
  }
}
