import { onTestFinished } from 'vitest'
import { type ModelServer, type Script, startModelServer } from '../src/testing/model-server.ts'

interface Delta {
  readonly role?: string
  readonly content?: string
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly function: { readonly name?: string; readonly arguments: string }
  }[]
}

export interface Chunk {
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
  readonly usage?: {
    readonly prompt_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
  readonly error?: { readonly message: string }
}

/** A model server that is closed after the test. */
export async function serve(script: Script, keep?: number): Promise<ModelServer> {
  const server = await startModelServer({ script, ...(keep !== undefined && { keep }) })
  onTestFinished(() => server.close())
  return server
}

export const hello = [{ role: 'user', content: 'hello' }]

export function ask(
  server: ModelServer,
  body: object = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test-model', messages: hello, stream: true, ...body }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** The payloads of a stream, without `[DONE]`. */
export async function payloads(response: Response): Promise<readonly string[]> {
  const text = await response.text()
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => part.replace(/^data: /, ''))
    .filter((part) => part !== '[DONE]')
}

export async function chunks(response: Response): Promise<readonly Chunk[]> {
  return (await payloads(response)).map((payload) => JSON.parse(payload) as Chunk)
}

export const textOf = (list: readonly Chunk[]): string =>
  list.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join('')

export const finishOf = (list: readonly Chunk[]): string | null | undefined =>
  list.findLast((chunk) => (chunk.choices?.length ?? 0) > 0)?.choices[0]?.finish_reason
