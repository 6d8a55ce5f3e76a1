import { isId, LOCAL_TENANT } from '@amodal/sdk'
import { z } from 'zod'

const count = z.int().min(1)

/** The config of the plugin. */
export const Settings = z.strictObject({
  tenants: z
    .array(z.string().refine(isId))
    .min(1)
    .default([LOCAL_TENANT])
    .describe('Whose automations run: each due time runs once for each of them'),
  work: z
    .boolean()
    .default(true)
    .describe('This process keeps due times and takes jobs; false: it only shows and receives'),
  deadlineSeconds: count
    .default(1_800)
    .describe('What a run may take, where its file says nothing'),
  graceSeconds: count
    .default(60)
    .describe('Seconds after which a due time counts as missed, and `catchUp` decides'),
  runs: count.default(4).describe('Runs at the same time in one process'),
  perTenant: count
    .optional()
    .describe('Runs of one tenant at the same time, on all processes together'),
  deliveries: count.default(8).describe('Deliveries at the same time in one process'),
  keepDays: count.default(90).describe('Days that runs and deliveries which have ended are kept'),
  secret: z
    .string()
    .startsWith('env:')
    .optional()
    .describe('Signs what goes to targets without a secret of their own'),
  webhooks: z
    .strictObject({
      maxBytes: count.default(1_048_576).describe('Bytes of one request'),
      perMinute: count.default(600).describe('Events of one automation, in one process'),
      perAddress: count
        .default(300)
        .describe('Events of one automation from one address in a minute, in one process'),
      concurrency: count.default(32).describe('Requests that are read at the same time'),
    })
    .prefault({}),
})
