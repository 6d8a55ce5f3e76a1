import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'
import type { AgentConfig } from './agent-config.ts'
import type { StreamHooks } from './stream-hooks.ts'
import type { User } from './user.ts'

// A field that is added to the type and not here does not compile.
const CONFIG: Readonly<Record<keyof AgentConfig, true>> = {
  repoPath: true,
  bundle: true,
  provider: true,
  providerConfig: true,
  apiKey: true,
  storeBackend: true,
  sessionStore: true,
  mcpManager: true,
  logger: true,
  sessionTtlMs: true,
  streamHooks: true,
  onAutomationResult: true,
  env: true,
  plugins: true,
  settings: true,
}
const HOOKS: Readonly<Record<keyof StreamHooks, true>> = {
  onAuditLog: true,
  onUsageReport: true,
  onSessionPersist: true,
}
const USER: Readonly<Record<keyof User, true>> = { userId: true, tenant: true, roles: true }

/** Fields that the format has for parts that are still to come, or that have another name here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  scopeId: 'name whose data it is in `tenant`',
  scope_id: 'name whose data it is in `tenant`',
}

/**
 * Refuses what nothing reads: in JavaScript, and in a value that was made elsewhere, no compiler
 * does.
 */
export function checkConfig(config: AgentConfig): Result<void, Failure> {
  const own = unknownIn('createAgent', config, CONFIG)
  return own.ok && config.streamHooks
    ? unknownIn('createAgent, `streamHooks`', config.streamHooks, HOOKS)
    : own
}

/** The same of a person. A mistyped `roles` would be none, and a mistyped `tenant` everybody's. */
export const checkUser = (user: User): Result<void, Failure> =>
  unknownIn('the user of a session', user, USER)

function unknownIn(
  where: string,
  given: object,
  known: Readonly<Record<string, true>>,
): Result<void, Failure> {
  const name = Object.entries(given).find(
    ([key, value]) => value !== undefined && !Object.hasOwn(known, key),
  )?.[0]
  if (name === undefined) return ok(undefined)
  const meant = didYouMean(name, Object.keys(known))
  const suggestion =
    meant === undefined
      ? `there are: ${Object.keys(known).join(', ')}`
      : `did you mean \`${meant}\`?`
  const fix = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : suggestion
  return err(failure('BAD_CONFIG', `${where}: \`${name}\` is not read: ${fix ?? ''}`))
}
