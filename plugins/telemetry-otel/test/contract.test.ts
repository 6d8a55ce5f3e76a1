import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { telemetryOtel } from '../src/index.ts'

pluginContract(telemetryOtel, {
  with: [use(secretsEnv, { masterKey: 'memory' }), use(outbound)],
})
