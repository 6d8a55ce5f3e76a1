import {
  isPrivateTool,
  trySync,
  type AgentBundle,
  type Message,
  type RunContext,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
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

/**
 * Tracks the origin of texts in conversations. Its state is keyed weakly by the history and the
 * agent's files: it is dropped with them, and a process that takes a session over reads the history
 * again.
 */
export class Taint {
  readonly #maxChars: number
  readonly #trusted: ReadonlySet<Trusted>
  readonly #sessions = new WeakMap<readonly Message[], SessionTexts>()
  readonly #own = new WeakMap<AgentBundle, Corpus>()
  readonly #identity = new WeakMap<AgentBundle, ReadonlySet<string>>()
  readonly #lists = new WeakMap<Run, ToolList>()
  readonly #described = new WeakMap<ToolList['tools'], Corpus>()
  readonly #constants = new WeakMap<ToolDefinition, Constants>()

  constructor(maxChars: number, trusted: readonly Trusted[] = []) {
    this.#maxChars = maxChars
    this.#trusted = new Set(trusted)
  }

  /** The tools that were offered to the model of a run. */
  told(list: ToolList, run: Run): void {
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
  known(run: Run, tool: ToolDefinition, files?: ReadonlyMap<string, string>): Known {
    const session =
      this.#sessions.get(run.messages) ??
      new SessionTexts(this.#maxChars, run.delegated ?? false, this.#trusted)
    this.#sessions.set(run.messages, session)
    session.follow(run.messages, this.#identityIn(run.bundle), files)
    const constants = this.#constants.get(tool) ?? constantsOf(tool)
    this.#constants.set(tool, constants)
    return {
      own: this.#ownTexts(run.bundle),
      session,
      described: this.#descriptions(run),
      constants,
    }
  }

  /** What connections add of who asks, and whose rows they may see. */
  #identityIn(bundle: AgentBundle): ReadonlySet<string> {
    const known =
      this.#identity.get(bundle) ??
      new Set(
        connectionsOf(bundle).flatMap(({ access, rest }) => [
          ...access.rowScoping.map(({ userContextField }) => userContextField),
          ...(rest?.contextInjection ?? []).map(({ value }) => value),
        ]),
      )
    this.#identity.set(bundle, known)
    return known
  }

  #ownTexts(bundle: AgentBundle): Corpus {
    const texts = this.#own.get(bundle) ?? ownTexts(bundle)
    this.#own.set(bundle, texts)
    return texts
  }

  /** Only MCP servers describe their tools themselves. */
  #descriptions(run: Run): Corpus {
    const tools = this.#lists.get(run)?.tools ?? []
    const known = this.#described.get(tools)
    if (known) return known
    const corpus = new Corpus(this.#maxChars)
    if (connectionsOf(run.bundle).some(({ protocol }) => protocol === 'mcp')) {
      for (const tool of tools.filter((one) => isMcp(one, run.bundle))) {
        corpus.add(
          {
            tool: tool.name,
            call: 'description',
            connection: tool.name,
            text: `${tool.description}\n${textOf(tool.parameters)}`,
          },
          { encoded: true },
        )
      }
    }
    this.#described.set(tools, corpus)
    return corpus
  }
}

const isMcp = (tool: ToolDefinition, bundle: AgentBundle): boolean => {
  const said = trySync(
    () => tool.action?.({}, bundle),
    () => undefined,
  )
  return said.ok && said.value?.ok === true && said.value.value.protocol === 'mcp'
}
