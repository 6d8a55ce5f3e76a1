import {
  isObject,
  type HookTaps,
  type JsonObject,
  type RunContext,
  type TenantId,
  type ToolList,
} from '@amodal/sdk'

/** A conversation that is had for a test, in a tenant of its own; its tools are not called. */
export interface Enactment {
  readonly tenant: TenantId
  /** The agent's tools as this conversation has them. */
  tools(list: ToolList): ToolList
}

/** What a run belongs to; `enactment: undefined`: to one that ended, or of another process. */
export interface Enacted<T> {
  readonly enactment: T | undefined
  readonly state: JsonObject
}

/**
 * The enactments of one kind that run in this process. Their sessions say so in their state, and
 * those of their sub-agents too.
 */
export class Enactments<T extends Enactment> {
  readonly #key: string
  readonly #running = new Map<string, T>()

  /** @param key of the session state */
  constructor(key: string) {
    this.#key = key
  }

  add(enactment: T): void {
    this.#running.set(enactment.tenant, enactment)
  }

  remove(enactment: T): void {
    this.#running.delete(enactment.tenant)
  }

  of({ sessionState }: Pick<RunContext, 'sessionState'>): Enacted<T> | undefined {
    const state = sessionState[this.#key]
    if (!isObject(state)) return undefined
    const { tenant } = state
    return {
      state,
      enactment: typeof tenant === 'string' ? this.#running.get(tenant) : undefined,
    }
  }
}

/** Sessions of enactments that ended do nothing: what would stand in for their tools is gone. */
export function refuseEnded<T extends Enactment>(
  hooks: HookTaps,
  enactments: Enactments<T>,
  message: string,
): void {
  const isOver = (run: RunContext): boolean => {
    const found = enactments.of(run)
    return found !== undefined && !found.enactment
  }
  hooks.run.start.tap(
    (_request, run) => (isOver(run) ? { deny: true, reason: 'error', message } : undefined),
    { stage: 'first' },
  )
  // A run that another process has begun may go on here with the tools of its turn.
  hooks.tool.guard.tap(
    (verdict, _call, run) => (isOver(run) ? verdict.raise('deny', message) : undefined),
    { stage: 'last' },
  )
}
