import { ok, type Eraser } from '@amodal/sdk'

/**
 * What the key of a person is called; the key itself stays, revoked: one that is gone could be made
 * again.
 */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    const gone = await run({
      sql: `update auth_key set name = 'erased', revoked_at = coalesce(revoked_at, clock_timestamp())
        where (name = $1 or 'key:' || id = $1) and ($2::text is null or tenant = $2) and (name <> 'erased' or revoked_at is null) returning 1 as one`,
      parameters: [principal, tenant ?? null],
    })
    return ok({ removed: gone.length, unknown: 0, tables: ['auth_key'] })
  },
}
