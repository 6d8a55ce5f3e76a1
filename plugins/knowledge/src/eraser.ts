import { ok, type Eraser } from '@amodal/sdk'

/** Documents that came out of sessions of a person. */
export const eraser: Eraser = {
  async erase({ sessions }, run) {
    const gone = await run({
      sql: 'delete from knowledge_document d using jsonb_to_recordset($1::jsonb) gone(tenant text, session text) where d.tenant = gone.tenant and d.approved_in = gone.session returning 1 as one',
      parameters: [JSON.stringify(sessions)],
    })
    return ok({ removed: gone.length, unknown: 0, tables: ['knowledge_document'] })
  },
}
