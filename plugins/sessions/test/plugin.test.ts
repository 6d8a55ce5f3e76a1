import dbPglite from '@amodal/plugin-db-pglite'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { sessions } from '../src/index.ts'

pluginContract(sessions, { with: [use(dbPglite, { dataDir: 'memory://' })] })
