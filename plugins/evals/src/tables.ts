import { tables, type Generated, type Selectable } from '@amodal/sdk/database'

export interface Tables {
  evals_run: {
    tenant: Generated<string>
    /** Begins with the time at which it was started, so that ids are in the order of time. */
    id: string
    /** Who started it. */
    principal: string
    /** JSON of a `RunHeader`. */
    header: string
    status: string
    /** JSON of a `RunError`. */
    error: string | null
    ended_at: Date | null
  }
  evals_result: {
    tenant: Generated<string>
    run: string
    /** Its place in the plan of the run. */
    place: number
    /** JSON of a `TrialResult` without what is in `detail`. */
    facts: string
    /** JSON of its lines, turns and calls. */
    detail: string
  }
  evals_judgement: {
    tenant: Generated<string>
    /** Hash of what the judge was asked. */
    key: string
    /** Whose run asked. */
    principal: string
    reply: string
  }
  /** Tenants of trials that have not been emptied. */
  evals_trial: {
    tenant: Generated<string>
    trial: string
  }
}

export type RunRow = Selectable<Tables['evals_run']>

export const db = tables<Tables>()
