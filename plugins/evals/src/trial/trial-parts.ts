import { principalId, runId, sessionId, type Agent, type Clock, type Generation } from '@amodal/sdk'
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

/** As what documents are written that a case begins with: erasers find them by that. */
export const SETUP = { session: sessionId('evals'), run: runId('eval-setup') } as const
