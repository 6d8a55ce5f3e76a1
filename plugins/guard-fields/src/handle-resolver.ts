import {
  err,
  type Failure,
  type RedactionHandles,
  ok,
  type RunContext,
  type Result,
  type RedactedValue,
} from '@amodal/sdk'
import { HandleRefused } from './errors.ts'

const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/g

/** Resolves redaction handles to their values, by the scope of the run that sends them. */
export class HandleResolver implements RedactionHandles {
  readonly #runs = new WeakMap<object, RunContext>()

  /** Remembers the run of a call; called for every call before it is made. */
  remember(ctx: RunContext): void {
    this.#runs.set(ctx.scope, ctx)
  }

  reveal(text: string, ctx: Parameters<RedactionHandles['reveal']>[1]): Result<string, Failure> {
    if (!text.includes('[redacted:')) return ok(text)
    const known = this.#runs.get(ctx.scope)?.redacted ?? []
    let refused: Failure | undefined
    const revealed = text.replaceAll(HANDLE, (handle) => {
      const one = known.find((each) => each.handle === handle)
      if (one && maySee(one, ctx)) return one.value
      refused ??= HandleRefused(
        one
          ? `${ctx.action?.connection ?? 'this call'} may not be given the value behind ${handle}`
          : `there is no value behind ${handle} in this session`,
      )
      return handle
    })
    return refused ? err(refused) : ok(revealed)
  }
}

/**
 * A value may be sent to the connection that returned it; to another one only if the person may
 * see it, since they could type it themselves.
 */
function maySee(
  { connection, roles }: RedactedValue,
  { action, roles: own }: Parameters<RedactionHandles['reveal']>[1],
): boolean {
  return (
    (connection !== undefined && connection === action?.connection) ||
    (roles?.some((role) => own.includes(role)) ?? false)
  )
}
