import {
  LastRead,
  ok,
  type Failure,
  type ReadElsewhere,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import type { Decision, ExperimentBook } from './observation.ts'

type ByExperiment = ReadonlyMap<string, Decision>

/**
 * The decisions of each tenant. A session that begins costs no statement while nothing is decided,
 * and all instances on one database follow a decision.
 */
export class Decisions {
  readonly #bookOf: (tenant: TenantId) => ExperimentBook
  readonly #cache: LastRead<ByExperiment>

  /** @param elsewhere left out where this process alone has them */
  constructor(bookOf: (tenant: TenantId) => ExperimentBook, elsewhere?: ReadElsewhere) {
    this.#bookOf = bookOf
    this.#cache = new LastRead(elsewhere)
  }

  listen(): (() => void) | undefined {
    return this.#cache.listen()
  }

  of(tenant: TenantId, signal: AbortSignal): Promise<Result<ByExperiment, Failure>> {
    return this.#cache.get(tenant, async () => {
      const read = await this.#bookOf(tenant).decisions(signal)
      return read.ok ? ok(new Map(read.value.map((one) => [one.experiment, one]))) : read
    })
  }

  /** @returns whether it counts; `false`: there was a decision before */
  async add(
    tenant: TenantId,
    decision: Decision,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    const decided = await this.#bookOf(tenant).decide(decision, signal)
    this.#cache.changed(tenant)
    return decided
  }
}
