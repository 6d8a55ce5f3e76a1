import { err, failure, ok, type Failure, type Outbound, type Result, type Secrets } from '@amodal/sdk'
import { resolve } from 'node:path'
import { ChildTransport } from './child-transport.ts'
import { limitedFetch } from './limited-fetch.ts'
import type { Reaper } from './reaper.ts'
import { remoteTransport } from './remote-transport.ts'
import type { ServerSpec } from './server-spec.ts'
import { Session, type SessionOptions } from './session.ts'

export { failingOf } from './session.ts'

export interface Connecting extends Omit<SessionOptions, 'transport' | 'local'> {
  readonly name: string
  readonly spec: ServerSpec
  /** Where commands are run: the agent's folder. */
  readonly cwd: string | undefined
  readonly secrets: Secrets
  readonly outbound: Outbound
  readonly reaper: Reaper
  readonly maxBytes: number
  readonly graceMs: number
  /** A line of a child's standard error. */
  readonly said: (line: string) => void
}

/** Connects to a server. What keeps it from that is a value where it is known beforehand, and thrown otherwise. */
export async function connect(options: Connecting, signal: AbortSignal): Promise<Result<Session, Failure>> {
  const { name, spec, cwd, secrets, outbound, reaper, maxBytes, graceMs, said } = options
  if (spec.transport === 'stdio') {
    const env = childEnvironment(spec.env, name, secrets)
    if (!env.ok) return env
    const child = { command: spec.command, args: spec.args, env: env.value, cwd: spec.cwd === undefined ? cwd : resolve(cwd ?? '.', spec.cwd), maxBytes, graceMs, reaper, said }
    return ok(await Session.open({ ...options, local: true, transport: () => new ChildTransport(child) }, signal))
  }
  const headers = resolved(spec.headers, (header) => `the header ${header} of the MCP server "${name}"`, secrets)
  const address = secrets.resolve(spec.url, `the url of the MCP server "${name}"`)
  if (!headers.ok) return headers
  if (!address.ok) return address
  const url = URL.parse(address.value)
  if (!url) return err(failure('OUTBOUND_REFUSED', `the url of the MCP server "${name}" is no valid address`))
  const { transport } = spec
  const opened: { session?: Session } = {}
  // The agent's own files name this origin, so it may be a private one.
  const fetch = limitedFetch(outbound.fetch(undefined, url.origin), maxBytes, (error) => opened.session?.fail(error))
  opened.session = await Session.open({ ...options, local: false, transport: () => remoteTransport({ transport, url, headers: headers.value, fetch }) }, signal)
  return ok(opened.session)
}

/** Variables that programs cannot do without; all others a spec has to name. */
const NEEDED = process.platform === 'win32' ? ['PATH', 'SYSTEMROOT', 'USERPROFILE', 'TEMP'] : ['PATH', 'HOME']
const PATH = '/usr/local/bin:/usr/bin:/bin'

/** All that a child gets: what its spec names, and where programs and its home are. */
function childEnvironment(named: Readonly<Record<string, string>>, name: string, secrets: Secrets): Result<Readonly<Record<string, string>>, Failure> {
  const own = resolved(named, (variable) => `${variable} of the MCP server "${name}"`, secrets)
  if (!own.ok) return own
  const needed = NEEDED.flatMap((variable) => {
    const value = secrets.get(variable)
    return value === undefined ? [] : [[variable, value] as const]
  })
  return ok({ PATH, ...Object.fromEntries(needed), ...own.value })
}

function resolved(texts: Readonly<Record<string, string>>, where: (key: string) => string, secrets: Secrets): Result<Readonly<Record<string, string>>, Failure> {
  const values: Record<string, string> = {}
  for (const [key, text] of Object.entries(texts)) {
    const value = secrets.resolve(text, where(key))
    if (!value.ok) return value
    values[key] = value.value
  }
  return ok(values)
}
