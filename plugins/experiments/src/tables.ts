import { tables, type Generated, type Selectable } from '@amodal/sdk/database'

interface Tables {
  experiments_run: {
    tenant: Generated<string>
    experiment: string
    version: string
    variant: string
    principal: string
    session: string
    run: string
    /** ms since the epoch. */
    at: number
    failed: boolean
    cost: number | null
    seconds: number | null
    /** 1: good, 0: bad. */
    feedback: Generated<number | null>
  }
  experiments_decision: {
    tenant: Generated<string>
    experiment: string
    promoted: string | null
    principal: string
    /** ms since the epoch. */
    at: number
  }
}

export type DecisionRow = Selectable<Tables['experiments_decision']>

export const db = tables<Tables>()
