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
import { shown } from './untrusted.ts'

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

/** A tool, the name it goes by, and what it is for the model. */
export interface ServedTool {
  readonly server: Server
  readonly name: string
  readonly tool: Server['tools'][number]
  readonly definition: ToolDefinition
}

/**
 * The MCP servers of the agent's files. Those that did not change are kept from bundle to bundle.
 */
export class Servers {
  readonly #settings: Settings
  readonly #secrets: Secrets
  readonly #outbound: Outbound
  readonly #log: Logger
  readonly #reaper = new Reaper()
  readonly #retiring = new Set<Server>()
  #servers: ReadonlyMap<string, Server> = new Map<string, Server>()
  #bundle: AgentBundle | undefined
  #served: readonly Served[] = []
  #told = ''
  #closed = false

  constructor(settings: Settings, secrets: Secrets, outbound: Outbound, log: Logger) {
    this.#settings = settings
    this.#secrets = secrets
    this.#outbound = outbound
    this.#log = log
  }

  /**
   * Takes these files: what is new begins to connect, what is gone ends once its calls are over.
   */
  use(bundle: AgentBundle): readonly Served[] {
    const served = this.#take(bundle.whole ?? bundle)
    if (!bundle.whole) return served
    const known = new Set(connectionsOf(bundle).map(({ name }) => name))
    return served.filter(({ connection: { name } }) => known.has(name))
  }

  #take(bundle: AgentBundle): readonly Served[] {
    if (this.#closed || bundle === this.#bundle) return this.#served
    this.#bundle = bundle
    const before = this.#servers
    const now = new Map<string, Server>()
    this.#served = connectionsOf(bundle)
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
            log: this.#log,
          })
        now.set(key, server)
        server.start()
        return { connection, server }
      })
    this.#servers = now
    for (const [key, server] of before) if (!now.has(key)) this.#retire(server)
    return this.#served
  }

  /**
   * The tools of all servers, as they are known now. Names are as good as unique: the second of two
   * gets a mark.
   */
  list(bundle: AgentBundle): readonly ServedTool[] {
    const tools: ServedTool[] = []
    const names = new Set<string>()
    const odd: string[] = []
    for (const { connection, server } of this.use(bundle)) {
      for (const tool of server?.tools ?? []) {
        const plain = toolName(connection.name, tool.name)
        const name = names.has(plain) ? otherName(connection.name, tool.name) : plain
        if (name !== plain)
          odd.push(`"${tool.name}" of "${connection.name}" is called ${name}: ${plain} is taken`)
        const definition =
          server && !names.has(name)
            ? toolOf(name, tool, server, connection, this.#settings.callMs, (text) =>
                this.#secrets.mask(text),
              )
            : 'its name is taken'
        if (typeof definition === 'string')
          odd.push(`"${tool.name}" of "${connection.name}" is left out: ${definition}`)
        else if (server) {
          names.add(name)
          tools.push({ server, name, tool, definition })
        }
      }
    }
    this.#tell(odd)
    return tools
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

  /** A run is over: nobody goes on with calls of it that wait for a person. */
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
  #tell(odd: readonly string[]): void {
    const told = odd.join('\n')
    if (told === this.#told) return
    this.#told = told
    for (const message of odd)
      this.#log.warn('mcp.tool', {
        message: shown(message, TOLD, (text) => this.#secrets.mask(text)),
      })
  }
}
