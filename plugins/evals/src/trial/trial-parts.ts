import { principalId, type Agent, type Clock, type Generation } from '@amodal/sdk'
import type { Trials } from './trial.ts'

/** What a trial needs of the product. */
export interface TrialParts {
  readonly agent: Agent
  readonly clock: Clock
  readonly generation: () => Generation
  readonly trials: Trials
}

/** Who speaks in a trial. */
export const TESTER = principalId('eval')
