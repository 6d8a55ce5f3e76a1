import { use } from '@amodal/sdk'
import auth from '@amodal/plugin-auth'
import chat from '@amodal/plugin-chat'
import dbPostgres from '@amodal/plugin-db-postgres'
import erasure from '@amodal/plugin-erasure'
import events from '@amodal/plugin-events'
import http from '@amodal/plugin-http'
import inspect from '@amodal/plugin-inspect'
import knowledge from '@amodal/plugin-knowledge'
import limits from '@amodal/plugin-limits'
import logJson from '@amodal/plugin-log-json'
import pluginManager from '@amodal/plugin-plugin-manager'
import repoFiles from '@amodal/plugin-repo-files'
import sessions from '@amodal/plugin-sessions'
import storesDatabase from '@amodal/plugin-stores-database'
import tenant from '@amodal/plugin-tenant'
import toolsCustom from '@amodal/plugin-tools-custom'
import toolsWeb from '@amodal/plugin-tools-web'
import { base } from './base.ts'
import { definePreset } from './define-preset.ts'
import { protection } from './guards.ts'

/**
 * Many instances on one Postgres. No demo model: without a key it says so. Code of the agent runs
 * only where a start has proved that it is kept apart.
 */
export const production = definePreset(
  'production',
  [
    use(logJson),
    ...base,
    use(toolsCustom, { isolation: 'required' }),
    use(knowledge, { proposals: 'tenant' }),
    use(repoFiles),
    use(toolsWeb),
    use(http),
    use(auth),
    use(tenant),
    use(limits),
    use(chat),
    use(events),
    use(erasure),
    use(inspect),
    use(pluginManager),
    use(dbPostgres, { url: 'env:DATABASE_URL' }),
    use(sessions),
    use(storesDatabase),
  ],
  { ...protection, pinned: [...protection.pinned, 'auth', 'tenant', 'limits'] },
)
export default production
