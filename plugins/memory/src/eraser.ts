import { ok, type Eraser } from '@amodal/sdk'

/** Notes of a person, and those that they made for all of a tenant. */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    const gone = await run({
      sql: 'delete from memory_note where (owner = $1 or noted_by = $1) and ($2::text is null or tenant = $2) returning 1 as one',
      parameters: [principal, tenant ?? null],
    })
    return ok({ removed: gone.length, unknown: 0, tables: ['memory_note'] })
  },
}
