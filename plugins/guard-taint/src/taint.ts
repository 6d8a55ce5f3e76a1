import {
  isPrivateTool,
  trySync,
  type AgentBundle,
  type RunContext,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { connectionsOf, isTrusted } from '@amodal/sdk/connections'
import { constantsOf, type Constants } from './constants.ts'
import { Corpus } from './corpus.ts'
import { ownTexts } from './own-texts.ts'
import { SessionTexts, type Trusted } from './session-texts.ts'
import { textOf } from './texts.ts'

/** The texts of the conversation by origin, at the time of a call. */
export interface Known {
  readonly own: Corpus
  readonly session: SessionTexts
  /** What MCP servers say of their tools. */
  readonly described: Corpus
  /** What the schema of the tool that is called offers. */
  readonly constants: Constants
}

type Run = Pick<RunContext, 'bundle' | 'messages' | 'delegated'>
type AgentFacts = {
  readonly texts: Corpus
  readonly identity: ReadonlySet<string>
  readonly connections: ReadonlyMap<string, boolean>
}

const NO_FILES: ReadonlyMap<string, string> = new Map()

/**
 * Tracks the origin of texts in conversations. What it knows of a conversation lasts as long as a
 * run: a session that nobody talks to takes nothing here, and the next run reads the history again
 * when its first call is guarded.
 */
export class Taint {
  readonly #maxChars: number
  readonly #attachments: ReadonlySet<Trusted>
  readonly #sessions = new WeakMap<Run, SessionTexts>()
  readonly #lists = new WeakMap<Run, ToolList>()
  readonly #agents = new WeakMap<AgentBundle, AgentFacts>()
  readonly #described = new WeakMap<ToolList['tools'], Corpus>()
  readonly #constants = new WeakMap<ToolDefinition, Constants>()

  /** @param maxChars of each conversation */
  constructor(maxChars: number, trusted: readonly Trusted[] = []) {
    this.#maxChars = maxChars
    this.#attachments = new Set(trusted)
  }

  /** Remembers the tools that the model of a run is offered. */
  listed(list: ToolList, run: Run): void {
    this.#lists.set(run, list)
  }

  /** Whether results of a tool may not be shown. */
  isPrivate(name: string, run: Run): boolean {
    return isPrivateTool(
      this.#lists.get(run)?.tools.find((tool) => tool.name === name) ?? { name },
      run.bundle.manifest,
    )
  }

  /** @param files texts of files of the conversation, by their ids */
  known(run: Run, tool: ToolDefinition, files = NO_FILES): Known {
    const { texts, identity, connections } = this.#factsOf(run.bundle)
    const trust = {
      attachments: this.#attachments,
      delegated: run.delegated ?? false,
      connections,
      identity,
      files,
    }
    const session = this.#sessions.get(run) ?? new SessionTexts(this.#maxChars, trust)
    this.#sessions.set(run, session)
    session.follow(run.messages, trust)
    const constants = this.#constants.get(tool) ?? constantsOf(tool)
    this.#constants.set(tool, constants)
    return { own: texts, session, described: this.#descriptions(run), constants }
  }

  #factsOf(bundle: AgentBundle): AgentFacts {
    const facts = this.#agents.get(bundle) ?? {
      texts: ownTexts(bundle),
      identity: identityIn(bundle),
      connections: new Map(connectionsOf(bundle).map((one) => [one.name, isTrusted(one)])),
    }
    this.#agents.set(bundle, facts)
    return facts
  }

  /** Only MCP servers describe their tools themselves. */
  #descriptions(run: Run): Corpus {
    const tools = this.#lists.get(run)?.tools ?? []
    const known = this.#described.get(tools)
    if (known) return known
    const corpus = new Corpus(this.#maxChars)
    if (connectionsOf(run.bundle).some((one) => one.protocol === 'mcp' && !isTrusted(one))) {
      for (const tool of tools.filter((one) => isDescribedOutside(one, run.bundle))) {
        const text = `${tool.description}\n${textOf(tool.parameters)}`
        const source = { tool: tool.name, call: 'description', connection: tool.name, text }
        corpus.add(source, { encoded: true })
      }
    }
    this.#described.set(tools, corpus)
    return corpus
  }
}

/** What connections add of who asks, and whose rows they may see. */
const identityIn = (bundle: AgentBundle): ReadonlySet<string> =>
  new Set(
    connectionsOf(bundle).flatMap(({ access, rest }) => [
      ...access.rowScoping.map(({ userContextField }) => userContextField),
      ...(rest?.contextInjection ?? []).map(({ value }) => value),
    ]),
  )

/** Whether an MCP server that nobody vouches for describes a tool. */
function isDescribedOutside(tool: ToolDefinition, bundle: AgentBundle): boolean {
  const read = trySync(
    () => tool.action?.({}, bundle),
    () => undefined,
  )
  const action = read.ok && read.value?.ok === true ? read.value.value : undefined
  if (action?.protocol !== 'mcp') return false
  const server = connectionsOf(bundle).find(({ name }) => name === action.connection)
  return server === undefined || !isTrusted(server)
}
