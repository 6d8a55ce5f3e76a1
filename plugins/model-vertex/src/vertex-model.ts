import type { LanguageModel } from '@amodal/sdk'
import {
  geminiModel,
  type ModelTransport,
  refusedCall,
  type ResolvedModel,
} from '@amodal/sdk/model'
import type { AccessTokens } from './access-tokens.ts'
import { isAccount, noAccount, serviceAccountOf } from './service-account.ts'

/**
 * Makes models of Vertex AI, whose accounts share their tokens.
 *
 * @example
 * keyedProvider(VERTEX, deps, vertexModels(new AccessTokens(deps)))
 */
export const vertexModels =
  (tokens: AccessTokens) =>
  (resolved: ResolvedModel, transport: ModelTransport): LanguageModel => {
    const { model, apiKey } = resolved
    const isToken = apiKey !== undefined && isAccount(apiKey)
    return geminiModel({
      resolved,
      transport: isToken
        ? { ...transport, fetch: withToken(transport.fetch, apiKey, tokens) }
        : transport,
      options: 'vertex',
      headers: apiKey === undefined || isToken ? {} : { 'x-goog-api-key': apiKey },
      async load(settings) {
        const { GoogleLanguageModel } = await import('@ai-sdk/google/internal')
        return new GoogleLanguageModel(model, settings)
      },
      hint: (status) => hintOf(status, model),
    })
  }

/** A `fetch` that sends the token of an account, and asks for another where it is refused. */
const withToken =
  (send: typeof fetch, key: string, tokens: AccessTokens): typeof fetch =>
  async (input, init) => {
    const account = serviceAccountOf(key)
    if (!account.ok)
      throw refusedCall(
        noAccount(account.error),
        new URL(input instanceof Request ? input.url : input).origin,
      )
    const token = await tokens.of(account.value, init?.signal ?? undefined)
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    const response = await send(input, { ...init, headers })
    if (response.status === 401) tokens.forget(account.value, token)
    return response
  }

function hintOf(status: number, model: string): string | undefined {
  switch (status) {
    case 403:
      return '; the account needs the role "Vertex AI User" in this project, which has to have the Vertex AI API enabled'
    case 404:
      return `; check that there is a model "${model}" in this location`
    default:
      return undefined
  }
}
