import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel, Prompt } from '@amodal/sdk'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { anthropicMessages } from './anthropic.ts'
import { googleContent } from './google.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

/** By the end of its path, what each endpoint refuses. */
const ENDPOINTS: readonly (readonly [
  path: RegExp,
  problem: (sent: unknown) => string | undefined,
])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropicMessages],
  [/:streamGenerateContent\?/, googleContent],
]

export interface Endpoints extends AsyncDisposable {
  /**
   * Sends a prompt to each of them, as the packages of the providers write it.
   * @returns what they refuse of it, and how often they were asked
   */
  send(prompt: Prompt): Promise<readonly string[]>
  readonly count: number
}

/**
 * Strict endpoints of four formats on loopback. They look at what comes, and answer nothing worth
 * reading.
 */
export async function startEndpoints(): Promise<Endpoints> {
  let count = 0
  const server = createServer((request, response) => {
    void json(request).then(
      (sent) => {
        const [, problem = () => 'there is no such endpoint'] =
          ENDPOINTS.find(([path]) => path.test(request.url ?? '')) ?? []
        const refused = problem(sent)
        count++
        response
          .writeHead(refused === undefined ? 200 : 400, {
            'content-type': refused === undefined ? 'text/event-stream' : 'text/plain',
          })
          .end(refused)
      },
      (cause: unknown) => response.writeHead(400).end(String(cause)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const baseURL = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  const options = { baseURL, apiKey: 'none' }
  const openai = createOpenAI(options)
  const models: Readonly<Record<string, LanguageModel>> = {
    'openai chat': openai.chat('gpt-4o'),
    'openai responses': openai.responses('gpt-4o'),
    'anthropic messages': createAnthropic(options)('claude-sonnet-4-5'),
    'google generateContent': createGoogle(options)('gemini-2.5-flash'),
  }
  return {
    get count() {
      return count
    },
    async send(prompt) {
      const problems = await Promise.all(
        Object.entries(models).map(async ([name, model]) => {
          try {
            const { stream } = await model.doStream({
              prompt,
              maxOutputTokens: 1_000,
              abortSignal: AbortSignal.timeout(10_000),
            })
            await stream.cancel()
            return []
          } catch (cause) {
            const said =
              cause instanceof Error && 'responseBody' in cause ? cause.responseBody : cause
            return [`${name}: ${String(said)}`]
          }
        }),
      )
      return problems.flat()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
