import {
  err,
  failure,
  ok,
  type Action,
  type ApiDocument,
  type Connection,
  type Failure,
  type Lease,
  type Outbound,
  type OutboundResponse,
  type RestSpec,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import { nameKey } from '@amodal/sdk/connections'
import { actionOf, httpMethodOf, type ActionConnection } from './action.ts'
import type { Credentials } from './credentials.ts'
import { draftOf, inject, intoBody, reveal, type Draft } from './draft.ts'
import { exchange } from './exchange.ts'
import { OAuthTokens } from './oauth-tokens.ts'
import { payloadOf } from './payload.ts'
import { queryText } from './query.ts'
import { returnedEntities } from './returned-entities.ts'
import type { Scoped } from './row-scope.ts'
import { sign } from './sign.ts'
import { TokenBucket } from './token-bucket.ts'
import { userContext, type Asker } from './user-context.ts'
import { ContextMissing } from './errors.ts'

export interface Services {
  readonly outbound: Outbound
  readonly secrets: Secrets
  readonly credentials: Credentials
  /** ms of a clock that never goes back, and of the day. */
  readonly monotonic: () => number
  readonly now: () => number
}

/** One action that was judged, and for whom it is done. */
export interface Order {
  readonly connection: Connection
  readonly rest: RestSpec
  readonly action: Action
  readonly asker: Asker
  /** Trusts what `context` of the message says about its user. */
  readonly trustContext: boolean
  /** Replaces redaction handles by their values where that is allowed. */
  readonly reveal?: (text: string) => Result<string, Failure>
  readonly key?: string
  readonly lease?: Lease
  readonly signal: AbortSignal
}

/**
 * Sends what was judged, with credentials, context and row scope of the connection. Keeps tokens
 * and rates between calls.
 */
export class RestClient {
  readonly #services: Services
  readonly #tokens: OAuthTokens
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(services: Services) {
    this.#services = services
    this.#tokens = new OAuthTokens(services.outbound, services.credentials, services.monotonic)
  }

  /** A connection as its requests are read: with its address. */
  target(
    { name }: Pick<Connection, 'name'>,
    { baseUrl, format, auth, headers, contextInjection, idempotent }: RestSpec,
  ): Result<ActionConnection, Failure> {
    const address = this.#services.credentials.address(baseUrl, `baseUrl of "${name}"`)
    return address.ok
      ? ok({
          name,
          baseUrl: address.value,
          format,
          headers,
          contextInjection,
          idempotent,
          ...(auth && { auth }),
        })
      : address
  }

  /** The judged spelling of a request. */
  action(
    connection: Connection,
    rest: RestSpec,
    args: Parameters<typeof actionOf>[1],
    document?: ApiDocument,
  ): Result<Action, string> {
    const target = this.target(connection, rest)
    return target.ok
      ? actionOf({ ...target.value, ...(document && { document }) }, args)
      : err(target.error.message)
  }

  /** Which rows of the answer are the asker's own to see. */
  scopes({
    connection,
    rest,
    action,
    asker,
    trustContext,
  }: Order): Result<readonly Scoped[], Failure> {
    const { rowScoping } = connection.access
    if (rowScoping.length === 0) return ok([])
    const base = this.target(connection, rest)
    const entities = returnedEntities(
      connection.access,
      action,
      base.ok ? (URL.parse(base.value.baseUrl)?.pathname ?? '/') : '/',
    )
    const scopes: Scoped[] = []
    for (const { entity, field, userContextField, label } of rowScoping) {
      // Where nothing says what the answer holds, rows that say whose they are are judged by that.
      if (entities && !entities.has(nameKey(entity))) continue
      const expected = userContext(userContextField, asker, trustContext)
      if (expected === undefined || expected === '')
        return err(
          ContextMissing(
            `${connection.name} shows ${label} only, and "${userContextField}" of the caller is not known`,
          ),
        )
      scopes.push({ field, expected, label, strict: entities?.size === 1 })
    }
    return ok(scopes)
  }

  /** Sends it. An HTTP status is an answer; a failure says that there is none. */
  async send(order: Order): Promise<Result<OutboundResponse, Failure>> {
    const {
      connection: { name },
      rest,
      action,
      asker,
      trustContext,
      signal,
    } = order
    const target = this.target(order.connection, rest)
    const base = target.ok ? URL.parse(target.value.baseUrl) : null
    if (!target.ok || !base)
      return target.ok ? err(failure('ENV_NOT_SET', `the address of "${name}" is no URL`)) : target
    const passed = order.reveal ? reveal(draftOf(action), order.reveal) : ok(draftOf(action))
    if (!passed.ok) return passed
    const injected = inject(this.#withBody(passed.value, order), rest.contextInjection, (value) =>
      userContext(value, asker, trustContext),
    )
    const draft = injected.ok ? this.#scoped(injected.value, order) : injected
    if (!draft.ok) return draft
    const payload =
      draft.value.body === undefined
        ? ok(undefined)
        : payloadOf(draft.value.body, action.media, draft.value.headers['content-type'])
    if (!payload.ok) return err(failure('VALIDATION_ERROR', payload.error))
    const own = this.#resolved(rest, order)
    if (!own.ok) return own
    const wait = await this.#turn(name, rest, signal)
    if (wait !== undefined)
      return err(
        failure('RATE_LIMITED', `too many requests to ${name} at once: try again in ${wait} s`, {
          details: { retry_after_seconds: wait },
        }),
      )
    const write = action.effect === 'write'
    const method = httpMethodOf(action)
    const attempt = async (
      not: string | undefined,
    ): Promise<
      Result<{ readonly response: OutboundResponse; readonly token?: string }, Failure>
    > => {
      const signature = await sign(
        { name, auth: rest.auth, tenant: asker.tenant, not, signal },
        this.#services.credentials,
        this.#tokens,
      )
      if (!signature.ok) return signature
      const query = queryText({
        ...draft.value.query,
        ...Object.fromEntries(
          Object.entries(signature.value.query).map(([param, value]) => [param, [value]]),
        ),
      })
      const answer = await exchange(
        this.#services.outbound,
        {
          name,
          method,
          signal,
          write,
          privateOrigin: base.origin,
          ...(own.value.proxy !== undefined && { proxy: own.value.proxy }),
          repeatable: !write || rest.idempotent,
          url: `${base.origin}${draft.value.path}${query === '' ? '' : `?${query}`}`,
          headers: {
            accept: 'application/json, text/*;q=0.9, */*;q=0.8',
            ...draft.value.headers,
            ...(payload.value && { 'content-type': payload.value.contentType }),
            ...own.value.headers,
            ...signature.value.headers,
          },
          ...(payload.value && { body: payload.value.body }),
          ...(write && order.key !== undefined && { key: order.key }),
          ...(order.lease && { lease: order.lease }),
        },
        rest.limits,
        this.#services.now,
      )
      return answer.ok
        ? ok({
            response: answer.value,
            ...(signature.value.token !== undefined && { token: signature.value.token }),
          })
        : answer
    }
    const first = await attempt(undefined)
    // A token may be taken back before it expires: once, a new one. Nothing was done, so a write
    // may be sent again.
    const again =
      first.ok && first.value.response.status === 401 && first.value.token !== undefined
        ? await attempt(first.value.token)
        : first
    return again.ok ? ok(again.value.response) : again
  }

  /**
   * Nothing that is shown holds a secret: those of the environment, and tokens that were fetched.
   */
  readonly mask = (text: string): string =>
    this.#tokens
      .values()
      .reduce(
        (masked, token) => masked.replaceAll(token, '[MASKED]'),
        this.#services.secrets.mask(text),
      )

  /** What is injected into a body needs one. */
  #withBody(draft: Draft, { rest, action }: Order): Draft {
    const needed =
      draft.body === undefined &&
      rest.contextInjection.some((one) => one.in === 'body') &&
      ['POST', 'PUT', 'PATCH'].includes(action.method)
    return needed ? { ...draft, body: {} } : draft
  }

  /**
   * The target filters itself where it can: in the query of reads, and in what is created or
   * changed.
   */
  #scoped(draft: Draft, order: Order): Result<Draft, Failure> {
    const scopes = this.scopes(order)
    if (!scopes.ok) return scopes
    return scopes.value.reduce<Result<Draft, Failure>>((made, { field, expected, strict }) => {
      if (!made.ok || !strict) return made
      const param = order.connection.access.rowScoping.find((one) => one.field === field)?.param
      const { method } = order.action
      if (method === 'GET' || method === 'HEAD')
        return param === undefined
          ? made
          : ok({ ...made.value, query: { ...made.value.query, [param]: [expected] } })
      return method === 'POST' || method === 'PUT' || method === 'PATCH'
        ? intoBody(made.value, field, expected)
        : made
    }, ok(draft))
  }

  /** The headers and the proxy of the spec, with their references resolved. */
  #resolved(
    { headers, proxy }: RestSpec,
    { connection: { name }, asker }: Order,
  ): Result<
    {
      readonly headers: Readonly<Record<string, string>>
      readonly proxy: string | false | undefined
    },
    Failure
  > {
    const resolved: Record<string, string> = {}
    for (const [header, text] of Object.entries(headers)) {
      const value = this.#services.credentials.resolve(
        text,
        `headers.${header} of "${name}"`,
        asker.tenant,
      )
      if (!value.ok) return value
      resolved[header.toLowerCase()] = value.value
    }
    if (proxy === undefined || proxy === false) return ok({ headers: resolved, proxy })
    const address = this.#services.credentials.resolve(proxy, `proxy of "${name}"`, asker.tenant)
    return address.ok ? ok({ headers: resolved, proxy: address.value }) : address
  }

  async #turn(
    name: string,
    { rateLimit }: RestSpec,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    if (!rateLimit) return undefined
    const key = JSON.stringify([name, rateLimit])
    const bucket = this.#buckets.get(key) ?? new TokenBucket(rateLimit, this.#services.monotonic)
    this.#buckets.set(key, bucket)
    return bucket.take(signal)
  }
}
