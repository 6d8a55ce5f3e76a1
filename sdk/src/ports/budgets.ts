import { slot, type Failure, type PrincipalId, type Result, type TenantId } from '@amodal/kernel'

/** Tokens, and billionths of a dollar; `undefined`: the price is unknown. */
export interface Amount {
  readonly tokens: number
  readonly cost: number | undefined
}

/** What is reserved for one model call. */
export interface Reservation {
  /** `false`: only the minimum is reserved, not the requested amount. */
  readonly isFull: boolean
  /** Writes down what the call took in place of what was set aside. Once. */
  settle(spent: Amount): Promise<void>
}

/**
 * Budgets that several runs share, such as those of a principal or a tenant. What a call may take
 * is set aside before it is made, so that calls side by side do not go past a budget together; a
 * process that dies gives back what it had set aside.
 */
export interface Budgets {
  /** Whether there are any: without one no call asks. */
  readonly active: boolean
  /**
   * @param most what the call may take
   * @param least the same with a short answer, for where not more is left
   * @returns `BUDGET_EXCEEDED` where there is not as much left, and what others have set aside was
   *   not given back in time
   */
  reserve(
    who: { readonly tenant: TenantId; readonly principal: PrincipalId },
    most: Amount,
    least: Amount,
    signal: AbortSignal,
  ): Promise<Result<Reservation, Failure>>
}

export const Budgets = slot.kernel<Budgets>('budgets')
