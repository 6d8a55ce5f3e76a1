import { tables } from '@amodal/sdk/database'

export interface Tables {
  limits_window: {
    /** What is counted, and a hash of whose it is. */
    key: string
    points: number
    /** ms since the epoch. */
    expire: number | null
  }
  limits_budget: {
    /** A hash of whose budget it is, and of when it began. */
    key: string
    tokens: number
    /** Billionths of a dollar. */
    cost: number
    held_tokens: number
    held_cost: number
    /** ms since the epoch. */
    ends: number
  }
  limits_hold: {
    id: string
    key: string
    tokens: number
    cost: number
    /** Given back then, unless whoever has it says otherwise. */
    until: Date
  }
}

export const db = tables<Tables>()
