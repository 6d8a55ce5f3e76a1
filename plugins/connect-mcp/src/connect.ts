import {
  err,
  failure,
  hashOf,
  ok,
  type Failure,
  type Lease,
  type Logger,
  type Outbound,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import type { FetchLike } from '@modelcontextprotocol/client'
import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'
import { childEnvironment } from './child-environment.ts'
import { ChildTransport } from './child-transport.ts'
import { isHeld } from './is-held.ts'
import { limitedFetch } from './limited-fetch.ts'
import type { Reaper } from './reaper.ts'
import { remoteTransport } from './remote-transport.ts'
import { MessageReader, type OnLeftOut } from './responses/message-reader.ts'
import { readingFetch } from './responses/reading-fetch.ts'
import type { ServerSpec } from './server-spec.ts'
import { Authorization } from './oauth/authorization.ts'
import { resolveAuth } from './oauth/auth-spec.ts'
import type { Vault } from './vault.ts'
import { Session, type SessionOptions } from './session.ts'

export interface Connecting extends Omit<
  SessionOptions,
  'transport' | 'local' | 'streamed' | 'acting'
> {
  readonly name: string
  readonly spec: ServerSpec
  /** Where commands are run: the agent's folder. */
  readonly cwd: string | undefined
  readonly secrets: Secrets
  readonly outbound: Outbound
  readonly reaper: Reaper
  readonly maxBytes: number
  readonly graceMs: number
  readonly log: Logger
  /** A line of a child's standard error. */
  readonly onLine: (line: string) => void
  /** A part of a message could not be read. */
  readonly onLeftOut: OnLeftOut
  readonly vault: Vault
  /** From the last time. */
  readonly authorization: Authorization | undefined
  readonly onAuthorization: (authorization: Authorization | undefined) => void
}

/**
 * Connects to a server. Problems found before connecting are returned, later ones are thrown.
 */
export async function connect(
  options: Connecting,
  signal: AbortSignal,
): Promise<Result<Session, Failure>> {
  const { name, spec, cwd, secrets, outbound, reaper, maxBytes, graceMs, log, onLine } = options
  const acting = new AsyncLocalStorage<Lease | undefined>()
  const reader = new MessageReader(options.onLeftOut)
  if (spec.transport === 'stdio') {
    const named = resolved(
      spec.env,
      (variable) => `${variable} of the MCP server "${name}"`,
      secrets,
    )
    if (!named.ok) return named
    const child = {
      command: spec.command,
      args: spec.args,
      env: childEnvironment(named.value, name, secrets, log),
      cwd: spec.cwd === undefined ? cwd : resolve(cwd ?? '.', spec.cwd),
      maxBytes,
      graceMs,
      reaper,
      reader,
      onLine,
      mayCall: () => isHeld(acting.getStore()),
    }
    return ok(
      await Session.open(
        {
          ...options,
          acting,
          local: true,
          streamed: () => false,
          transport: () => new ChildTransport(child),
        },
        signal,
      ),
    )
  }
  const headers = resolved(
    spec.headers,
    (header) => `the header ${header} of the MCP server "${name}"`,
    secrets,
  )
  const address = secrets.resolve(spec.url, `the url of the MCP server "${name}"`)
  if (!headers.ok) return headers
  if (!address.ok) return address
  const url = URL.parse(address.value)
  if (!url)
    return err(
      failure('OUTBOUND_REFUSED', `the url of the MCP server "${name}" is no valid address`),
    )
  const authorization = authorizationFor(options, spec, url)
  if (!authorization.ok) return authorization
  options.onAuthorization(authorization.value)
  const { transport } = spec
  const opened: { session?: Session; streamed: boolean } = { streamed: false }
  // The agent's own files name this origin, so it may be a private one.
  const limited = limitedFetch(
    (input, init) => outbound.fetch(acting.getStore(), url.origin)(input, init),
    maxBytes,
    (error) => opened.session?.fail(error),
  )
  const watched: FetchLike = async (input, init) => {
    const response = await limited(input, init)
    opened.streamed ||= init?.method === 'GET' && response.ok
    return response
  }
  const streamed = (): boolean => opened.streamed
  opened.session = await Session.open(
    {
      ...options,
      acting,
      local: false,
      streamed,
      transport: () =>
        remoteTransport({
          transport,
          url,
          headers: headers.value,
          fetch: readingFetch(watched, reader),
          authProvider: authorization.value,
        }),
    },
    signal,
  )
  return ok(opened.session)
}

/** A server whose spec has a credential of its own is not signed in to, unless it says so. */
function authorizationFor(
  { name, secrets, outbound, vault, log, authorization }: Connecting,
  { headers, auth }: Exclude<ServerSpec, { readonly transport: 'stdio' }>,
  url: URL,
): Result<Authorization | undefined, Failure> {
  const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
  if (auth === undefined && hasOwn) return ok(undefined)
  const own = resolveAuth(auth, name, secrets)
  if (!own.ok || own.value === undefined) return own.ok ? ok(undefined) : own
  const isSame =
    authorization?.url.href === url.href &&
    hashOf({ ...authorization.own }) === hashOf({ ...own.value })
  return ok(
    isSame
      ? authorization
      : new Authorization({ name, url, own: own.value, vault, outbound, secrets, log }),
  )
}

function resolved(
  texts: Readonly<Record<string, string>>,
  where: (key: string) => string,
  secrets: Secrets,
): Result<Readonly<Record<string, string>>, Failure> {
  const values: Record<string, string> = {}
  for (const [key, text] of Object.entries(texts)) {
    const value = secrets.resolve(text, where(key))
    if (!value.ok) return value
    values[key] = value.value
  }
  return ok(values)
}
