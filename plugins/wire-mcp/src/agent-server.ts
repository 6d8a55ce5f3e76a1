import { failure, type Failure, type Json, type JsonObject, type Result } from '@amodal/sdk'
import { callExposed, exposedTools, listedTool } from './agent-tools.ts'
import { pageOf, type PageOf } from './paging.ts'
import { listedPrompt, promptText, skillsFor } from './prompts.ts'
import type { McpContext, McpServer, Protocol, ToolAnswer } from './protocol.ts'
import { openState } from './request-state.ts'
import { completions, readResource, resourcesOf, templatesOf } from './resources.ts'
import {
  shownFailure,
  type McpClient,
  type McpRequest,
  type OwnTool,
  type ServerParts,
} from './server-parts.ts'
import { failedResult } from './turn-result.ts'

/** The version of this server, not of the agent that it serves. */
const VERSION = '0.1.0'
const QUERY = 'query_store'
const INSTRUCTIONS =
  'Talk to the agent with `ask`; give `session_id` to go on. What waits for a person is asked, or comes back as `pending` and is answered with `answer_question`.'

/** Documents that a connection wants to hear of. */
export type Subscriptions = Set<string>

/** The agent as a server of the protocol, for one connection or one request. */
export class AgentServer {
  readonly mcp: McpServer
  readonly subscriptions: Subscriptions = new Set()
  readonly #parts: ServerParts
  readonly #client: McpClient
  readonly #sdk: Protocol
  readonly #isModern: boolean
  readonly #all: readonly OwnTool[]

  constructor(parts: ServerParts, client: McpClient, sdk: Protocol, isModern: boolean) {
    this.#parts = parts
    this.#client = client
    this.#sdk = sdk
    this.#isModern = isModern
    this.#all = parts.ownTools()
    const { name = 'agent', description } = parts.agent.bundle()?.manifest ?? {}
    this.mcp = new sdk.McpServer(
      { name, title: name, version: VERSION },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
          logging: {},
        },
        instructions: description === undefined ? INSTRUCTIONS : `${description}\n${INSTRUCTIONS}`,
        requestState: { verify: (state) => this.#open(state) },
      },
    )
    this.#addTools()
    this.#addResources()
    this.#addPrompts()
  }

  #open(state: string): object {
    const { clock, sealer } = this.#parts
    const opened = openState(state, this.#client.caller(), sealer, clock.now())
    if (opened.ok) return opened.value
    throw new Error(opened.error.message)
  }

  #request(ctx: McpContext): McpRequest {
    const caller = this.#client.caller()
    return {
      parts: this.#parts,
      sdk: this.#sdk,
      caller,
      agent: this.#parts.agent.as(caller),
      from: this.#client,
      ctx,
      isModern: this.#isModern,
      hasForms: this.#hasForms(ctx),
    }
  }

  /** Tools of this server that the credential is good for. */
  #own(): readonly OwnTool[] {
    return this.#all.filter(({ scope }) => scope === 'chat' || this.#client.may(scope))
  }

  /** An `elicitation` without modes is one of forms. */
  #hasForms({ mcpReq }: McpContext): boolean {
    const { clientCapabilities } = this.#declared(mcpReq.envelope)
    const { elicitation } = clientCapabilities ?? {}
    return elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url)
  }

  #declared(envelope: McpContext['mcpReq']['envelope']) {
    const declared = this.#isModern
      ? (envelope as Readonly<Record<string, unknown>> | undefined)?.[
          this.#sdk.CLIENT_CAPABILITIES_META_KEY
        ]
      : this.#legacyCapabilities()
    return { clientCapabilities: declared as Capabilities | undefined } // checked by the library
  }

  #legacyCapabilities(): unknown {
    return this.mcp.server.getClientCapabilities()
  }

  #addTools(): void {
    const { server } = this.mcp
    const names = new Set(this.#all.map(({ name }) => name))
    server.setRequestHandler('tools/list', async ({ params }, ctx) => {
      const exposed = this.#got(await exposedTools(this.#request(ctx), names))
      const all = [...this.#own().map(({ listed }) => listed), ...exposed.map(listedTool)]
      const { items, nextCursor } = this.#page(all, params?.cursor)
      return { tools: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    })
    server.setRequestHandler('tools/call', async ({ params }, ctx): Promise<ToolAnswer> => {
      const { name, arguments: args = {} } = params
      const request = this.#request(ctx)
      const given = args as JsonObject // JSON, as the library has read it
      if (isDeeper(given, MAX_DEPTH))
        throw this.#invalid(`arguments: nested more than ${MAX_DEPTH} deep`)
      const own = this.#own().find((tool) => tool.name === name)
      if (own) return own.call(given, request)
      const exposed = await exposedTools(request, names)
      if (!exposed.ok) return failedResult(shownFailure(exposed.error, this.#parts.log))
      if (exposed.value.some((tool) => tool.name === name)) return callExposed(name, given, request)
      throw this.#invalid(`there is no tool "${name}"`)
    })
  }

  #addResources(): void {
    const { server } = this.mcp
    server.setRequestHandler('resources/list', async ({ params }, ctx) => {
      const request = this.#request(ctx)
      const all = resourcesOf(request, await this.#seesStores(request))
      const { items, nextCursor } = this.#page(all, params?.cursor)
      return { resources: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    })
    server.setRequestHandler('resources/templates/list', async ({ params }, ctx) => {
      const request = this.#request(ctx)
      const all = templatesOf(request, await this.#seesStores(request))
      const { items, nextCursor } = this.#page(all, params?.cursor)
      return { resourceTemplates: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    })
    server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
      const request = this.#request(ctx)
      const read = await readResource(uri, request, await this.#seesStores(request))
      if (!read.ok && read.error.code === 'NOT_FOUND')
        throw new this.#sdk.ResourceNotFoundError(uri)
      return { contents: [{ uri, ...this.#got(read) }] }
    })
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
      this.subscriptions.add(uri)
      return {}
    })
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      this.subscriptions.delete(uri)
      return {}
    })
    server.setRequestHandler('completion/complete', ({ params: { ref, argument } }, ctx) => {
      const values =
        ref.type === 'ref/resource'
          ? completions(this.#request(ctx), ref.uri, argument.name, argument.value)
          : []
      const most = values.slice(0, MOST_COMPLETIONS)
      return {
        completion: {
          values: [...most],
          total: values.length,
          hasMore: values.length > most.length,
        },
      }
    })
  }

  #addPrompts(): void {
    const { server } = this.mcp
    server.setRequestHandler('prompts/list', ({ params }, ctx) => {
      const all = skillsFor(this.#request(ctx)).map(listedPrompt)
      const { items, nextCursor } = this.#page(all, params?.cursor)
      return { prompts: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    })
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: args } }, ctx) => {
      const skill = skillsFor(this.#request(ctx)).find((one) => one.name === name)
      if (!skill) throw this.#invalid(`there is no prompt "${name}"`)
      const text = promptText(skill, args?.['request'])
      return {
        ...(skill.description !== '' && { description: skill.description }),
        messages: [{ role: 'user', content: { type: 'text', text } }],
      }
    })
  }

  /** Stores are read with the tool of the agent, by those who may call that. */
  async #seesStores(request: McpRequest): Promise<boolean> {
    if (!this.#parts.settings.stores || !request.from.may('stores')) return false
    const exposed = this.#got(await exposedTools(request, new Set()))
    return exposed.some(({ name }) => name === QUERY)
  }

  #page<T>(all: readonly T[], cursor: string | undefined): PageOf<T> {
    return this.#got(pageOf(all, cursor, this.#parts.settings.pageSize))
  }

  /** Errors of requests other than calls are errors of the protocol. */
  #got<T>(result: Result<T, Failure>): T {
    if (result.ok) return result.value
    const { code, message } = shownFailure(result.error, this.#parts.log)
    if (code === 'VALIDATION_ERROR') throw this.#invalid(message)
    const { ProtocolError, ProtocolErrorCode } = this.#sdk
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, { code })
  }

  #invalid(message: string): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#sdk
    const { code } = failure('VALIDATION_ERROR', message)
    return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code })
  }
}

const MOST_COMPLETIONS = 100
/** Levels of nesting that arguments may have. */
const MAX_DEPTH = 64

const isDeeper = (value: Json, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1)))

interface Capabilities {
  readonly elicitation?: { readonly form?: object; readonly url?: object }
}
