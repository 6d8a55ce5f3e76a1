import { slot, type BundleIssue, type Failure, type Result } from '@amodal/sdk'

/**
 * Wires the running agent as its manifest says now. Filled by whoever started it from its folder.
 */
export interface Rewiring {
  /** What is wrong with that wiring. */
  check(): Promise<readonly BundleIssue[]>
  /**
   * Takes it: plugins that are the same go on, and so do runs. On a failure the wiring there is
   * stays.
   */
  apply(): Promise<Result<void, Failure>>
}

export const Rewire = slot.kernel<Rewiring>('rewire')
