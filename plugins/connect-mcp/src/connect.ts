import {
  err,
  failure,
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
import type { ServerSpec } from './server-spec.ts'
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
  readonly said: (line: string) => void
}

/**
 * Connects to a server. What keeps it from that is a value where it is known beforehand, and thrown
 * otherwise.
 */
export async function connect(
  options: Connecting,
  signal: AbortSignal,
): Promise<Result<Session, Failure>> {
  const { name, spec, cwd, secrets, outbound, reaper, maxBytes, graceMs, log, said } = options
  const acting = new AsyncLocalStorage<Lease | undefined>()
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
      said,
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
  const { transport } = spec
  const opened: { session?: Session; streamed: boolean } = { streamed: false }
  // The agent's own files name this origin, so it may be a private one.
  const limited = limitedFetch(
    (input, init) => outbound.fetch(acting.getStore(), url.origin)(input, init),
    maxBytes,
    (error) => opened.session?.fail(error),
  )
  const fetch: FetchLike = async (input, init) => {
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
      transport: () => remoteTransport({ transport, url, headers: headers.value, fetch }),
    },
    signal,
  )
  return ok(opened.session)
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
