import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { startCrm } from './crm.ts'

/**
 * The agent beside the CRM that it works with: `node examples/guarded-crm/src/main.ts`, then
 * http://127.0.0.1:3847.
 */
const token = 'only-for-this-example'
const crm = await startCrm(token)
const started = await startFolder({
  dir: join(import.meta.dirname, '../agent'),
  env: { ...process.env, CRM_URL: crm.url, CRM_TOKEN: token },
})
if (!started.ok) throw new Error(explainStart(started.error))
process.once('SIGINT', () => void started.value.close('SIGINT').then(() => crm.close()))
