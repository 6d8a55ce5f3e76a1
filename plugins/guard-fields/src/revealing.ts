import {
  err,
  type Failure,
  type Handles,
  ok,
  type RunContext,
  type Result,
  type Withheld,
} from '@amodal/sdk'
import { HandleRefused } from './errors.ts'

const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/g

/** Knows what each run has withheld, by the scope that its calls are made in. */
export class Revealing implements Handles {
  readonly #runs = new WeakMap<object, RunContext>()

  /** Every call passes here, before it is made. */
  remember(ctx: RunContext): void {
    this.#runs.set(ctx.scope, ctx)
  }

  reveal(text: string, ctx: Parameters<Handles['reveal']>[1]): Result<string, Failure> {
    if (!text.includes('[redacted:')) return ok(text)
    const known = this.#runs.get(ctx.scope)?.withheld ?? []
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
 * A connection may be told what it has said itself; another one only what the person may see, who
 * could type it.
 */
function maySee(
  { connection, roles }: Withheld,
  { action, roles: own }: Parameters<Handles['reveal']>[1],
): boolean {
  return (
    (connection !== undefined && connection === action?.connection) ||
    (roles?.some((role) => own.includes(role)) ?? false)
  )
}
