import { tables, type Generated, type Selectable } from '@amodal/sdk/database'

export interface Tables {
  feedback_entry: {
    tenant: Generated<string>
    session: string
    run: string
    principal: string
    id: string
    /** ms since the epoch, as `answered_at`. */
    at: number
    rating: string
    categories: readonly string[]
    comment: string
    tags: readonly string[]
    seq: number
    answered_at: number
    question: string
    answer: string
    model: string
    provider: string
    input_tokens: number
    output_tokens: number
    /** Billionths of a dollar. */
    cost: number | null
  }
}

export type EntryRow = Selectable<Tables['feedback_entry']>

export const db = tables<Tables>()
