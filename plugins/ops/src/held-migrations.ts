import { definePlugin, use, type Entry } from '@amodal/sdk'
import { MigrationHolds } from '@amodal/sdk/database'
import { z } from 'zod'

const held = definePlugin({
  name: 'held-migrations',
  version: '0.1.0',
  config: z.strictObject({}),
  setup({ add }) {
    add(MigrationHolds, 'ops', true)
  },
})

/** Opens a database as it is: a backup and a plan of migrations must not change it. */
export const heldMigrations: Entry = use(held)
