import type { PreparedCall } from '@amodal/sdk'
import type { Origin } from './origin.ts'

/**
 * A call and its inner calls share one approval, which shows the last context: it therefore has to
 * list the origins of all of them.
 */
export class ApprovalOrigins {
  readonly #origins = new WeakMap<PreparedCall, Origin[]>()

  /** The origins of a call, after those of the calls that make it and of its siblings before it. */
  with(call: PreparedCall, origins: readonly Origin[]): readonly Origin[] {
    const first = outermost(call)
    const all = this.#origins.get(first) ?? []
    this.#origins.set(first, all)
    all.push(
      ...(call.outer
        ? origins.map((origin) => ({ ...origin, field: `${call.tool.name}: ${origin.field}` }))
        : origins),
    )
    return all
  }
}

const outermost = (call: PreparedCall): PreparedCall => (call.outer ? outermost(call.outer) : call)
