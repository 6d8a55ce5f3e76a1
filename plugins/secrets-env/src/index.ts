import { readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import {
  definePlugin,
  err,
  failure,
  messageOf,
  PluginError,
  Sealer,
  Secrets,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { InstallationChecks } from '@amodal/sdk/inspection'
import { keyCheckup } from './checkup.ts'
import { givenEnvironment } from './environment.ts'
import {
  KEY_VARIABLE,
  keyFromFile,
  keyFromText,
  keyInMemory,
  type MasterKey,
} from './master-key.ts'
import { KeySealer } from './sealer.ts'
import { EnvSecrets } from './secrets.ts'
import { tapRedaction } from './redaction.ts'

/**
 * Secrets from the environment and `.env`, `env:` references, and the master key that encrypts
 * sealed values.
 *
 * @example
 * use(secretsEnv, { dir: './my-agent' })
 * use(secretsEnv, { env: { GROQ_API_KEY: key } })
 * // → embedded: the process's own environment is not looked at
 */
export const secretsEnv = definePlugin({
  name: 'secrets-env',
  version: '0.1.0',
  reaches: { secrets: ['*'], files: ['.env', '.amodal/master-key'] },
  provides: [Secrets, Sealer],
  config: z.object({
    /** The agent's folder: its `.env` is read, and the master key is kept in its `.amodal`. */
    dir: z.string().optional(),
    /** Replaces the environment of the process. */
    env: givenEnvironment.optional(),
    /** What to do about a variable that is not set: a sentence for whoever reads the error. */
    hint: z.string().min(1).optional(),
    /**
     * Where the master key comes from when AMODAL_MASTER_KEY is not set: `.amodal/master-key` (in
     * memory without `dir`), memory, or nowhere. Several instances on one database need the same
     * key.
     */
    masterKey: z.enum(['file', 'memory', 'required']).default('file'),
  }),
  setup({ name, config: { dir, env, hint, masterKey }, provide, add, onBoot, hooks, log }) {
    const secrets = new EnvSecrets(
      env ? (name) => env.get(name) : (name) => process.env[name],
      hint,
    )
    let key: Result<MasterKey, Failure> = err(
      failure('UNREADABLE', 'the master key is read when the server starts'),
    )
    provide(Secrets, () => secrets)
    provide(Sealer, () => new KeySealer(() => key))
    tapRedaction(hooks, secrets)
    const keptKey = masterKey === 'file' && dir !== undefined ? keyPath(dir) : undefined
    add(InstallationChecks, 'master-key', (context) => keyCheckup(keptKey, context))
    onBoot(() => {
      if (dir !== undefined)
        for (const problem of readDotEnv(secrets, dir))
          log.warn('dotenv.problem', { message: problem })
      key = findKey(secrets, masterKey, dir)
      if (!key.ok)
        throw new PluginError(
          name,
          'boot',
          'master key',
          new Error(key.error.message, { cause: key.error }),
          key.error.code,
        )
      if (key.value.exposed)
        log.warn('master_key.exposed', {
          message: `others than its owner may read ${keyPath(dir ?? '.')}: chmod 600`,
        })
    })
  },
})

const keyPath = (dir: string): string => join(resolve(dir), '.amodal', 'master-key')

function findKey(
  secrets: Secrets,
  otherwise: 'file' | 'memory' | 'required',
  dir: string | undefined,
): Result<MasterKey, Failure> {
  const given = secrets.get(KEY_VARIABLE)
  if (given !== undefined && given !== '') return keyFromText(given)
  if (otherwise === 'required')
    return err(
      failure(
        'ENV_NOT_SET',
        `${KEY_VARIABLE} is not set, and this server may not make a key of its own`,
        { details: { variable: KEY_VARIABLE } },
      ),
    )
  return otherwise === 'file' && dir !== undefined
    ? keyFromFile(keyPath(dir))
    : { ok: true, value: keyInMemory() }
}

/**
 * Reads `.env` by its real path, which is also the one under which the agent's files are loaded.
 */
function readDotEnv(secrets: Secrets, dir: string): readonly string[] {
  try {
    const path = join(realpathSync(dir), '.env')
    return secrets.load({ path, text: readFileSync(path, 'utf8') })
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
      ? []
      : [`${join(dir, '.env')} cannot be read: ${messageOf(cause)}`]
  }
}

export default secretsEnv
