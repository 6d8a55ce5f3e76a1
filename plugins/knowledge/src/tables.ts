import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  knowledge_document: {
    tenant: Generated<string>
    name: string
    title: string
    body: string
    category: string | null
    /** The session in which the document was approved. */
    approved_in: string
    at: Generated<Date>
  }
}

export const db = tables<Tables>()
