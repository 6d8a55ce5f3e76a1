import {
  hashOf,
  type AgentBundle,
  type Connection,
  type ConnectionStatus,
  type Logger,
  type Outbound,
  type Secrets,
  type ToolDefinition,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { isGiven } from './mcp-manager.ts'
import { Reaper } from './reaper.ts'
import { Server } from './server.ts'
import { readServerSpec } from './server-spec.ts'
import type { Settings } from './settings.ts'
import { toolOf } from './tool.ts'
import { otherName, toolName } from './tool-name.ts'
import { featuresOf, featureTool } from './features.ts'
import { shown, type Mask } from './untrusted.ts'
import type { Vault } from './vault.ts'

/**
 * How long a server that is not the agent's any more is kept for calls that are still running, ms.
 */
const RETIRE_MS = 60_000
/** Characters of what is odd about a tool. */
const TOLD = 500

/** A connection with its server; without one, its spec is of no use. */
export interface Served {
  readonly connection: Connection
  readonly server?: Server
  readonly error?: string
}

/** The connections of a bundle, and the servers of those that have one. */
interface BundleServers {
  readonly served: readonly Served[]
  readonly servers: ReadonlyMap<string, Server>
}

/** A tool, the name it goes by, and what it is for the model. */
export interface ServedTool {
  readonly server: Server
  readonly name: string
  /** As its server calls it. */
  readonly own: string
  readonly definition: ToolDefinition
}

/** What a server calls a tool, and how it is made under the name that the model knows it by. */
type Made = readonly [own: string, define: (name: string) => ToolDefinition | string]

/** A tool that is not as its server has it. */
interface OddTool {
  readonly connection: string
  readonly message: string
}
const oddTool = ({ name }: Connection, own: string, what: string): OddTool => ({
  connection: name,
  message: `"${own}" of "${name}" ${what}`,
})

/**
 * The MCP servers of the agent's files. Those that did not change are kept from bundle to bundle,
 * and those of a bundle that sessions still use stay.
 */
export class Servers {
  readonly #settings: Settings
  readonly #secrets: Secrets
  readonly #outbound: Outbound
  readonly #log: Logger
  readonly #vault: Vault
  readonly #reaper = new Reaper()
  readonly #retiring = new Set<Server>()
  readonly #held: () => readonly AgentBundle[]
  #servers: ReadonlyMap<string, Server> = new Map<string, Server>()
  /** By bundle: the one that was taken last, and those that sessions still use. */
  #byBundle: ReadonlyMap<AgentBundle, BundleServers> = new Map<AgentBundle, BundleServers>()
  #odd: readonly OddTool[] = []
  #reported = ''
  #closed = false

  /** @param held the bundles that sessions still use, beside the one that is taken */
  constructor(
    settings: Settings,
    secrets: Secrets,
    outbound: Outbound,
    vault: Vault,
    log: Logger,
    held: () => readonly AgentBundle[] = () => [],
  ) {
    this.#held = held
    this.#settings = settings
    this.#secrets = secrets
    this.#outbound = outbound
    this.#vault = vault
    this.#log = log
  }

  /**
   * Takes these files: what is new begins to connect, what is gone ends once its calls are over.
   */
  use(bundle: AgentBundle): readonly Served[] {
    const served = this.#take(bundle.unrestricted ?? bundle)
    if (!bundle.unrestricted) return served
    const known = new Set(connectionsOf(bundle).map(({ name }) => name))
    return served.filter(({ connection: { name } }) => known.has(name))
  }

  #take(bundle: AgentBundle): readonly Served[] {
    const known = this.#byBundle.get(bundle)
    if (known || this.#closed) return known?.served ?? []
    const before = this.#servers
    const held = new Set(this.#held())
    const byBundle = new Map([...this.#byBundle].filter(([one]) => held.has(one)))
    const now = new Map<string, Server>(
      [...byBundle.values()].flatMap(({ servers }) => [...servers]),
    )
    const own = new Map<string, Server>()
    const served = connectionsOf(bundle)
      .filter((connection) => connection.protocol === 'mcp' && !isGiven(connection))
      .map((connection): Served => {
        const spec = readServerSpec(connection.spec)
        if (!spec.ok) return { connection, error: spec.error }
        const { name } = connection
        const key = hashOf({ name, spec: connection.spec, root: bundle.root ?? null })
        const server =
          before.get(key) ??
          new Server({
            name,
            spec: spec.value,
            cwd: bundle.root,
            settings: this.#settings,
            secrets: this.#secrets,
            outbound: this.#outbound,
            reaper: this.#reaper,
            vault: this.#vault,
            log: this.#log,
          })
        own.set(key, server)
        now.set(key, server)
        server.start()
        return { connection, server }
      })
    this.#byBundle = byBundle.set(bundle, { served, servers: own })
    this.#servers = now
    for (const [key, server] of before) if (!now.has(key)) this.#retire(server)
    return served
  }

  /**
   * The tools of all servers, as they are known now. Names are as good as unique: the second of two
   * gets a mark.
   */
  list(bundle: AgentBundle): readonly ServedTool[] {
    const tools: ServedTool[] = []
    const names = new Set<string>()
    // models confuse names that differ in case only
    const isFree = (name: string): boolean => !names.has(name.toLowerCase())
    const odd: OddTool[] = []
    const mask: Mask = (text) => this.#secrets.mask(text)
    for (const { connection, server } of this.use(bundle)) {
      if (!server) continue
      const { callMs } = this.#settings
      const made: readonly Made[] = [
        ...server.tools.map((tool): Made => [
          tool.name,
          (name) => toolOf(name, tool, server, connection, callMs, mask),
        ]),
        ...featuresOf(server, mask).map((feature): Made => [
          feature.own,
          (name) => featureTool(name, feature, server, connection, callMs),
        ]),
      ]
      for (const [own, define] of made) {
        const plain = toolName(connection.name, own)
        const name = isFree(plain) ? plain : otherName(connection.name, own)
        if (name !== plain)
          odd.push(oddTool(connection, own, `is called ${name}: ${plain} is taken`))
        const definition = isFree(name) ? define(name) : 'its name is taken'
        if (typeof definition === 'string') {
          odd.push(oddTool(connection, own, `is left out: ${definition}`))
          continue
        }
        names.add(name.toLowerCase())
        tools.push({ server, name, own, definition })
      }
    }
    this.#odd = odd
    this.#report(odd.map(({ message }) => message))
    return tools
  }

  /** Tools of a connection that are left out or have another name, when they were listed last. */
  oddities(connection: string): readonly string[] {
    return this.#odd
      .filter((one) => one.connection === connection)
      .map(({ message }) => shown(message, TOLD, (text) => this.#secrets.mask(text)))
  }

  revision(bundle: AgentBundle): string {
    return this.use(bundle)
      .map(({ connection: { name }, server }) => `${name}:${server?.revision ?? ''}`)
      .join(' ')
  }

  settled(bundle: AgentBundle): Promise<void> | undefined {
    const waits = this.use(bundle).flatMap(({ server }) => server?.settled ?? [])
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
  }

  statuses(bundle: AgentBundle): readonly ConnectionStatus[] {
    return this.use(bundle).map(
      ({ connection: { name }, server, error = '' }) =>
        server?.status ?? { name, kind: 'mcp', status: 'failed', toolCount: 0, error },
    )
  }

  /** Servers that cannot be reached, and parts of the others that cannot be read. */
  problems(bundle: AgentBundle): readonly string[] {
    return this.use(bundle).flatMap(({ connection: { name }, server, error }) => {
      if (server && server.status.status !== 'failed')
        return server.leftOut.problem === undefined ? [] : [`${name}: ${server.leftOut.problem}`]
      return [`${name}: ${server?.status.error ?? error ?? 'it cannot be reached'}`]
    })
  }

  /** Another instance has changed what is kept for a connection. */
  changed(kept: string): void {
    for (const server of this.#servers.values())
      if (server.authorization?.grants.name === kept) {
        server.authorization.forget()
        server.authorized()
      }
  }

  /** A run has ended: aborts its calls that wait for a person. */
  release(run: string): void {
    for (const server of [...this.#servers.values(), ...this.#retiring]) server.release(run)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(
      [...this.#servers.values(), ...this.#retiring].map((server) => server.close()),
    )
    this.#reaper.close()
  }

  #retire(server: Server): void {
    this.#retiring.add(server)
    void server.retire(RETIRE_MS).finally(() => this.#retiring.delete(server))
  }

  /** Once for each set of oddities. */
  #report(odd: readonly string[]): void {
    const report = odd.join('\n')
    if (report === this.#reported) return
    this.#reported = report
    for (const message of odd)
      this.#log.warn('mcp.tool', {
        message: shown(message, TOLD, (text) => this.#secrets.mask(text)),
      })
  }
}
