import { contentText, reply, type Script } from '@amodal/sdk/testing'
import type { JsonObject } from '@amodal/sdk'
import { textIn, type Door } from '../security/support/door.ts'

/** Calls the tool of the message, `{"name": …, "arguments": …}`, and then says what it gave. */
export const script: Script = ({ messages, tools }) => {
  const last = messages.at(-1)
  if (!tools || !last) return reply.text('A title')
  if (last.role === 'tool') return reply.text(contentText(last))
  const { name, arguments: args } = JSON.parse(contentText(last)) as {
    readonly name: string
    readonly arguments: JsonObject
  } // the test wrote it
  return tools.some(({ function: tool }) => tool.name === name)
    ? reply.toolCalls([{ name, arguments: args }])
    : reply.text(`there is no tool ${name}`)
}

export async function call(
  door: Door,
  name: string,
  args: JsonObject,
  headers?: Record<string, string>,
): Promise<string> {
  const { body } = await door.say(JSON.stringify({ name, arguments: args }), {}, headers)
  return textIn(body, 'response')
}

export interface Result {
  readonly source: string
  readonly document?: string
  readonly key?: string
  readonly heading?: string
  readonly passage: string
  readonly approved?: boolean
}

/** What a search comes to. */
export async function find(
  door: Door,
  query: string,
  headers?: Record<string, string>,
): Promise<readonly Result[]> {
  const response = await call(door, 'search_knowledge', { query }, headers)
  const { results } = JSON.parse(response) as { readonly results: readonly Result[] } // see script
  return results
}
