import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import http from '@amodal/plugin-http'
import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import dbPglite from '@amodal/plugin-db-pglite'
import queueDatabase from '@amodal/plugin-queue-database'
import sessions from '@amodal/plugin-sessions'
import { wireA2a } from '../src/index.ts'

pluginContract(wireA2a, {
  with: [
    use(secretsEnv),
    use(outbound),
    use(loop),
    use(dbPglite, { dataDir: 'memory://' }),
    use(queueDatabase),
    use(sessions),
    use(http, { port: 0 }),
  ],
})
