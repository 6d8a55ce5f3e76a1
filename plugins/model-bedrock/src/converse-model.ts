import type { LanguageModel } from '@amodal/sdk'
import {
  adaptModel,
  type FinishTable,
  type ModelTransport,
  type ResolvedModel,
  sendingWellFormed,
  withOption,
} from '@amodal/sdk/model'
import { credentialsOf } from './endpoint.ts'
import { upToLastFrame } from './reply-frames.ts'
import { signing } from './signed-fetch.ts'
import { withoutTools } from './without-tools.ts'

/** Source: the API reference of Amazon Bedrock, `stopReason` of "ConverseStream". */
const FINISH: FinishTable = {
  end_turn: 'success',
  stop_sequence: 'success',
  tool_use: 'success',
  max_tokens: 'cut',
  model_context_window_exceeded: 'cut',
  content_filtered: 'refused',
  guardrail_intervened: 'refused',
  malformed_model_output: 'failed',
  malformed_tool_use: 'failed',
}

export function createConverseModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { model, baseUrl, thinking } = resolved
  const send = authorized(resolved, transport.fetch)
  return adaptModel({
    resolved,
    transport: { ...transport, fetch: send },
    finish: FINISH,
    frames: upToLastFrame,
    call({ seed: _seed, ...given }) {
      const options = withoutTools(given)
      if (thinking === undefined) return options
      const reasoningConfig = { type: 'enabled', budgetTokens: thinking }
      return { ...options, providerOptions: withOption(options, 'bedrock', { reasoningConfig }) }
    },
    async load(fetch) {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
      const provider = createAmazonBedrock({
        baseURL: baseUrl.replace(/\/+$/, ''),
        // Without one the package looks for credentials in the environment of the process. It is
        // never sent: `authorized` replaces it.
        apiKey: 'none',
        fetch,
      })
      return provider(model)
    },
    hint: (status) => hintOf(status, model),
  })
}

/** A `fetch` that sends the key of the configuration, or signs with the keys of an account. */
function authorized(
  { apiKey, headers: own, variables, baseUrl }: ResolvedModel,
  send: typeof fetch,
): typeof fetch {
  const credentials = apiKey === undefined ? credentialsOf(variables, baseUrl) : undefined
  const last = credentials ? sendingWellFormed(signing(credentials, send)) : send
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    return last(input, { ...init, headers })
  }
}

function hintOf(status: number, model: string): string | undefined {
  switch (status) {
    case 403:
      return `; the account needs \`bedrock:InvokeModelWithResponseStream\` for "${model}", and access to this model in this region`
    case 404:
      return `; check that there is a model or an inference profile "${model}" in this region`
    default:
      return undefined
  }
}
