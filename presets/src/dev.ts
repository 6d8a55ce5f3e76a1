import { use } from '@amodal/sdk'
import chat from '@amodal/plugin-chat'
import dbPglite from '@amodal/plugin-db-pglite'
import http from '@amodal/plugin-http'
import inspect from '@amodal/plugin-inspect'
import logJson from '@amodal/plugin-log-json'
import modelDemo from '@amodal/plugin-model-demo'
import repoFiles from '@amodal/plugin-repo-files'
import sessions from '@amodal/plugin-sessions'
import storesDatabase from '@amodal/plugin-stores-database'
import { base } from './base.ts'
import { definePreset } from './define-preset.ts'
import { protection } from './guards.ts'

/** One laptop: embedded database, loopback only, a demo model where no key is set. */
export const dev = definePreset('dev', [
  use(logJson, { format: 'pretty' }), ...base, use(repoFiles), use(modelDemo),
  use(http), use(chat), use(inspect),
  use(dbPglite), use(sessions), use(storesDatabase),
], protection)
export default dev
