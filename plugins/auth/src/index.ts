import {
  Authenticator,
  Commands,
  Database,
  definePlugin,
  Erasers,
  failure,
  LocalToken,
  messageOf,
  Migrations,
  ok,
  Outbound,
  PluginError,
  Secrets,
  type Failure,
  atMost,
} from '@amodal/sdk'
import { HttpApp, isLoopback } from '@amodal/plugin-http/tokens'
import { Authentication, type Known } from './authentication.ts'
import { config } from './config.ts'
import { eraser } from './eraser.ts'
import { IssuerUnavailable } from './errors.ts'
import { configuredKeys } from './configured-keys.ts'
import { makeKey } from './api-key.ts'
import { StoredKeys, NO_STORED_KEYS } from './stored-keys.ts'
import { keysCommand } from './keys-command.ts'
import { locally, localToken } from './local-token.ts'
import { MIGRATIONS } from './migrations.ts'
import { PersonSigner, tokenSecret } from './person-signer.ts'
import { TOKENS_SCOPE } from './token-request.ts'
import { tokenRoute, type Signer } from './token-route.ts'
import { ApiKeys, TokenIssuers } from './tokens.ts'

/**
 * ms that a start waits for the keys in the database. Without them it continues, and refuses
 * requests that need one.
 */
const WAIT_MS = 5_000

/**
 * Authenticates requests: by API keys, and by the tokens of issuers.
 *
 * @example
 * use(auth, { jwt: { issuer: 'https://id.example.com', audience: 'amodal', jwksUrl: 'https://id.example.com/jwks.json' } })
 */
export const auth = definePlugin({
  name: 'auth',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'], files: ['.amodal'] },
  requires: { secrets: Secrets },
  optional: { database: Database, outbound: Outbound, http: HttpApp },
  provides: [Authenticator, ApiKeys, LocalToken, TokenIssuers],
  errors: [IssuerUnavailable],
  config,
  setup({ config, deps, provide, add, hooks, onBoot, log, name }) {
    const { database, http, outbound, secrets } = deps
    const kept = database && config.database ? new StoredKeys(database, log) : undefined
    const authentication = new Authentication()
    provide(Authenticator, () => authentication)
    provide(ApiKeys, () => kept ?? NO_STORED_KEYS)
    provide(TokenIssuers, () => ({ issuers: config.jwt.map(({ issuer }) => issuer) }))
    if (kept) add(Migrations, 'auth', MIGRATIONS)
    // Keys stay in the database where the configuration looks for none there.
    if (database) add(Erasers, 'keys', eraser)
    let token: string | undefined
    provide(LocalToken, () => ({
      text: () => (authentication.configured() === false ? token : undefined),
    }))
    add(Commands, 'ops keys', keysCommand)

    let persons = new PersonSigner(undefined)
    const signer: Signer = () => persons.signer(authentication.configured() === false)
    const mint = tokenRoute(signer, Date.now)
    hooks.http.routes.tap((table) => {
      table.mount('/auth/tokens', mint, { exact: true, scope: TOKENS_SCOPE })
    })

    const refuse = (where: string, { code, message, cause }: Failure): never => {
      throw new PluginError(name, 'boot', where, new Error(message, { cause }), code)
    }
    /** The library that checks tokens is loaded only where there is an issuer. */
    async function tokens(): Promise<Known['identify']> {
      if (config.jwt.length === 0) return () => Promise.resolve(ok(undefined))
      if (!outbound)
        return refuse(
          'jwt',
          failure(
            'MISSING_PROVIDER',
            'the keys of an issuer are fetched, and no plugin provides the way out (outbound)',
          ),
        )
      const issuers = new (await import('./issuers.ts')).Issuers(config.jwt, outbound, log)
      return (token) => issuers.identify(token)
    }

    const tokenIn = (dir: string | undefined): string => {
      if (dir === undefined) return makeKey().text
      try {
        return localToken(dir)
      } catch (cause) {
        log.warn('auth.local_token', {
          message: `the token of this server cannot be kept, and is another one after each start: ${messageOf(cause)}`,
        })
        return makeKey().text
      }
    }

    onBoot(async () => {
      const given = configuredKeys(config, secrets)
      if (!given.ok) return refuse('keys', given.error)
      const secret = tokenSecret(config.tokens.secret, secrets)
      if (!secret.ok) return refuse('tokens.secret', secret.error)
      persons = new PersonSigner(secret.value)
      token = config.localToken && http && !http.needsCredentials ? tokenIn(config.dir) : undefined
      authentication.start({
        given: given.value,
        kept,
        issuers: config.jwt.length > 0,
        identify: await tokens(),
        identifyPerson: (token, origin) => persons.identify(token, origin),
        ...(token !== undefined && { locally: locally(token) }),
      })
      const stop = kept?.watch()
      if (kept) await atMost(WAIT_MS, kept.read())
      const address = http?.address()
      if (authentication.configured() === false && address) {
        if (http?.needsCredentials === true) {
          stop?.()
          refuse(
            address.host,
            failure(
              'NOT_LOOPBACK',
              `${address.host} can be reached from other machines, and there is no key and no issuer of tokens to know anybody by`,
            ),
          )
        }
        if (config.warn && isLoopback(address.host))
          log.warn('auth.open', {
            message:
              'nobody is asked who they are: there is no key, and no issuer of tokens. Only this machine can connect',
          })
      }
      return stop
    })
  },
})

export default auth
