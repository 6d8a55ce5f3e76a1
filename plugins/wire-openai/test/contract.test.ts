import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import http from '@amodal/plugin-http'
import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import dbPglite from '@amodal/plugin-db-pglite'
import sessions from '@amodal/plugin-sessions'
import { wireOpenai } from '../src/index.ts'

pluginContract(wireOpenai, {
  with: [
    use(secretsEnv),
    use(outbound),
    use(loop),
    use(dbPglite, { dataDir: 'memory://' }),
    use(sessions),
    use(http, { port: 0 }),
  ],
})
