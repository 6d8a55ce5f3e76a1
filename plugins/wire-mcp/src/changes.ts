import type { AgentBundle, Logger } from '@amodal/sdk'
import type { AgentServer } from './agent-server.ts'
import { changedDocuments } from './resources.ts'
import type { Protocol, ServerEventBus } from './protocol.ts'

/** Tells clients when the agent's files are other ones. */
export class Changes {
  readonly #log: Logger
  readonly #servers: () => Iterable<AgentServer>
  #bus: ServerEventBus | undefined
  #before: AgentBundle | undefined

  /** @param servers those with a client that stays connected */
  constructor(servers: () => Iterable<AgentServer>, log: Logger) {
    this.#servers = servers
    this.#log = log
  }

  /** What subscriptions of 2026-07-28 over HTTP hear from. */
  bus(sdk: Protocol): ServerEventBus {
    return (this.#bus ??= new sdk.InMemoryServerEventBus())
  }

  used(bundle: AgentBundle): void {
    const before = this.#before
    this.#before = bundle
    if (!before || before.hash === bundle.hash) return
    const changed = changedDocuments(before, bundle)
    for (const kind of LISTS) this.#bus?.publish({ kind })
    for (const uri of changed) this.#bus?.publish({ kind: 'resource_updated', uri })
    for (const server of this.#servers()) void this.#tell(server, changed)
  }

  async #tell({ mcp, subscriptions }: AgentServer, changed: readonly string[]): Promise<void> {
    try {
      mcp.sendToolListChanged()
      mcp.sendPromptListChanged()
      mcp.sendResourceListChanged()
      for (const uri of changed)
        if (subscriptions.has(uri)) await mcp.server.sendResourceUpdated({ uri })
    } catch (cause) {
      // A client that is gone comes back and asks.
      this.#log.debug('mcp.not_told', { error: cause })
    }
  }
}

const LISTS = ['tools_list_changed', 'prompts_list_changed', 'resources_list_changed'] as const
