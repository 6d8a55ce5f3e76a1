import { slot, type BundleIssue, type Failure, type Result } from '@amodal/sdk'

/**
 * Rewires the running agent as its current manifest says. Provided by the code that started it from
 * its folder.
 */
export interface Rewiring {
  /** What is wrong with that wiring. */
  check(): Promise<readonly BundleIssue[]>
  /**
   * Applies it: unchanged plugins and active runs continue. On a failure the current wiring stays.
   */
  apply(): Promise<Result<void, Failure>>
}

export const Rewire = slot.kernel<Rewiring>('rewire')
