import modelFailover from '@amodal/plugin-model-failover'
import { createAgent } from '@amodal/presets'
import {
  type AssetInput,
  definePlugin,
  defineTool,
  type ModelConfig,
  replace,
  Tools,
  use,
  type WireEvent,
} from '@amodal/sdk'
import { startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

export const PROVIDERS = ['openai-compatible', 'openai', 'anthropic', 'google'] as const
export type ProviderName = (typeof PROVIDERS)[number]

export interface Talk {
  readonly model: ModelServer
  /** Arguments of the calls of `note` that ran. */
  readonly noted: readonly string[]
  readonly say: (text: string, assets?: readonly AssetInput[]) => Promise<readonly WireEvent[]>
}

/**
 * An agent whose model is a scripted endpoint that speaks the protocol of a provider.
 *
 * @param spare the name of a model of the same endpoint, over chat completions, for when it fails
 */
export async function talk(
  provider: string,
  script: Script,
  { spare, ...config }: Partial<ModelConfig> & { readonly spare?: string } = {},
): Promise<Talk> {
  const model = await startModelServer({ script })
  onTestFinished(() => model.close())
  const noted: string[] = []
  const notes = definePlugin({
    name: 'notes',
    version: '1.0.0',
    setup({ add }) {
      const note = defineTool({
        name: 'note',
        description: 'Notes something.',
        readOnly: true,
        input: z.object({ text: z.string() }),
        execute({ text }) {
          noted.push(text)
          return Promise.resolve({ status: 'success', output: { noted: text } })
        },
      })
      add(Tools, 'notes', { tools: () => [note] })
    },
  })
  const agent = await createAgent({
    provider,
    apiKey: 'sk-my-own-0123456789',
    env: {},
    providerConfig: {
      model: 'scripted',
      baseUrl: model.url,
      ...(spare !== undefined && {
        fallback: { provider: 'openai-compatible', model: spare, baseUrl: model.url },
      }),
      ...config,
    },
    plugins: [use(notes), replace('model-failover', modelFailover, { baseMs: 1 })],
    settings: { firstPartMs: 4_000, stallMs: 4_000 },
  })
  onTestFinished(() => agent.shutdown())
  const session = await agent.createSession()
  return {
    model,
    noted,
    async say(text, assets) {
      const events: WireEvent[] = []
      for await (const event of session.stream(text, assets && { assets })) events.push(event)
      return events
    },
  }
}

export const wordsOf = (events: readonly WireEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')

export const thoughtsOf = (events: readonly WireEvent[]): string =>
  events.map((event) => (event.type === 'reasoning_delta' ? event.content : '')).join('')

export const warningsOf = (events: readonly WireEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))

/** A stream of events whose data is this. */
export const eventsOf = (...data: readonly (string | object)[]): string =>
  data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('')

/** Chunks of a chat completion with these deltas, the last one with a finish reason. */
export const chatOf = (
  deltas: readonly object[],
  finish: string | null = 'stop',
  rest: object = {},
): readonly object[] => [
  ...deltas.map((delta) => ({ id: 'c1', model: 'm', choices: [{ index: 0, delta }] })),
  { id: 'c1', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: finish }], ...rest },
]
