import { createAgent, type AgentConfig, type AgentSession } from '@amodal/presets'
import {
  defineBundle,
  definePlugin,
  ok,
  Tools,
  use,
  type HookTaps,
  type JournalEntry,
  type JsonObject,
  type Manifest,
  type SequencedEntry,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
  type WireEvent,
} from '@amodal/sdk'
import { startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'

export interface Talk {
  readonly server: ModelServer
  readonly session: AgentSession
  /** A whole turn; `onEvent` may answer what is asked. */
  say(text: string, onEvent?: (event: WireEvent) => unknown): Promise<readonly WireEvent[]>
  entries(): Promise<readonly SequencedEntry[]>
}

export interface TalkOptions {
  readonly script: Script
  readonly tools?: readonly ToolDefinition[]
  readonly taps?: (hooks: HookTaps) => void
  readonly limits?: Manifest['limits']
  readonly config?: AgentConfig
}

/** An embedded agent and a model on loopback that refuses what a strict endpoint refuses. */
export async function talk({
  script,
  tools = [],
  taps,
  limits = {},
  config = {},
}: TalkOptions): Promise<Talk> {
  const server = await startModelServer({ script })
  onTestFinished(() => server.close())
  const agent = await createAgent({
    provider: 'openai-compatible',
    providerConfig: { baseUrl: server.url, model: 'scripted' },
    bundle: defineBundle({ name: 'test', limits }),
    settings: { drainMs: 200, pollMs: 20 },
    ...config,
    plugins: [
      use(
        definePlugin({
          name: 'test-tools',
          version: '1.0.0',
          provides: [Tools],
          setup({ add, hooks }) {
            add(Tools, 'test', { tools: () => tools })
            taps?.(hooks)
          },
        }),
      ),
      ...(config.plugins ?? []),
    ],
  })
  onTestFinished(() => agent.shutdown())
  const session = await agent.createSession()
  return {
    server,
    session,
    async say(text, onEvent) {
      const events: WireEvent[] = []
      for await (const event of session.stream(text)) {
        events.push(event)
        onEvent?.(event)
      }
      return events
    },
    async entries() {
      const view = await session.session.session(session.id)
      return view.ok ? view.value.entries : []
    },
  }
}

export const tool = (
  name: string,
  readOnly: boolean,
  execute: (args: JsonObject, ctx: ToolContext) => ToolResult | Promise<ToolResult> = () => ({
    status: 'success',
    output: 'ok',
  }),
): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: 'object', properties: { v: {} } },
  parse: (args) => ok(args),
  readOnly,
  execute: async (args, ctx) => execute(args, ctx),
})

export const textOf = (events: readonly WireEvent[]): string =>
  events.reduce(
    (text, event) =>
      event.type === 'text_delta'
        ? `${text}${String(event['content'])}`
        : event.type === 'reset'
          ? ''
          : text,
    '',
  )

export const typesOf = (events: readonly WireEvent[]): readonly string[] =>
  events.map(({ type }) => type)

export const outcomesOf = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'tool_outcome' ? [`${entry.name}: ${entry.status}`] : [],
  )
