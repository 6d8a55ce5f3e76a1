import {
  err,
  failure,
  ok,
  type AgentBundle,
  type Failure,
  type JsonObject,
  type Logger,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import type { Authorization } from './oauth/authorization.ts'
import type { BegunLogin, LoginOptions } from './oauth/sign-in.ts'
import type { Server } from './server.ts'
import type { Servers } from './servers.ts'
import { shown } from './untrusted.ts'
import type { Vault } from './vault.ts'

type Outcome<T> = Promise<Result<T, Failure>>

interface Parts {
  readonly servers: Servers
  readonly vault: Vault
  readonly secrets: Pick<Secrets, 'mask'>
  readonly log: Logger
}

/** Characters of what an authorization server says. */
const MESSAGE = 500

/** Logins at MCP servers: who begins one, comes back from it, or takes it back. */
export class ConnectionLogins {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async begin(bundle: AgentBundle, name: string, options: LoginOptions): Outcome<BegunLogin> {
    const found = await this.#find(bundle, name)
    if (!found.ok) return found
    const { beginLogin } = await import('./oauth/sign-in.ts')
    return this.#clean(await beginLogin(found.value.authorization, this.#parts.vault, options))
  }

  /** @param params that the authorization server has sent the person back with */
  async finish(bundle: AgentBundle, params: URLSearchParams): Outcome<JsonObject> {
    const { finishLogin, takeLogin } = await import('./oauth/sign-in.ts')
    const { log, vault } = this.#parts
    const login = await takeLogin(vault, params)
    if (!login.ok) return login
    const { connection, by } = login.value
    const found = await this.#find(bundle, connection)
    if (!found.ok) return found
    const { authorization, server } = found.value
    const finished = await finishLogin(authorization, login.value, params)
    if (!finished.ok) return this.#clean(finished)
    log.info('mcp.signed_in', { server: connection, by })
    server.authorized()
    return ok({ connection, ...finished.value })
  }

  async remove(bundle: AgentBundle, name: string, by: string): Outcome<void> {
    const found = await this.#find(bundle, name)
    if (!found.ok) return found
    const removed = await found.value.authorization.signOut()
    if (removed.ok) this.#parts.log.info('mcp.signed_out', { server: name, by })
    return removed
  }

  async #find(
    bundle: AgentBundle,
    name: string,
  ): Outcome<{ readonly server: Server; readonly authorization: Authorization }> {
    const { servers } = this.#parts
    const server = servers.use(bundle).find(({ connection }) => connection.name === name)?.server
    if (!server) return err(failure('NOT_FOUND', 'there is no such MCP server'))
    // What it wants is known once it was tried.
    await server.tried
    return server.authorization
      ? ok({ server, authorization: server.authorization })
      : err(
          failure(
            'VALIDATION_ERROR',
            `nobody signs in to "${name}": it is a program of this machine, or its spec has a credential, or "auth": {"type": "none"}`,
          ),
        )
  }

  /** What a stranger's server says is quoted as its tools are. */
  #clean<T>(result: Result<T, Failure>): Result<T, Failure> {
    if (result.ok) return result
    const { error } = result
    const message = shown(error.message, MESSAGE, (text) => this.#parts.secrets.mask(text))
    return err({ ...error, message })
  }
}
