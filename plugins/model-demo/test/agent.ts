import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider'
import { observeReply } from '@amodal/sdk/testing'
import { createDemoModel } from '../src/model.ts'

export const NOTICE = '*Demo model: set SOME_KEY.*'

export function tool(
  name: string,
  description: string,
  properties: Record<string, object>,
  required: string[] = [],
): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  }
}

export interface Said {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: unknown; readonly id: string }[]
  readonly finish: string | undefined
}

/** A conversation with the demo model, which runs no tool by itself. */
export class Conversation {
  readonly prompt: LanguageModelV4Message[]
  readonly #model = createDemoModel(NOTICE)
  readonly #tools: LanguageModelV4FunctionTool[]

  constructor(tools: LanguageModelV4FunctionTool[], system = 'You are a helpful agent.') {
    this.#tools = tools
    this.prompt = [{ role: 'system', content: system }]
  }

  say(text: string): Promise<Said> {
    this.prompt.push({ role: 'user', content: [{ type: 'text', text }] })
    return this.reply()
  }

  /** Gives the calls of the last reply their results, in order. */
  result(...values: readonly unknown[]): Promise<Said> {
    const last = this.prompt.at(-1)
    const calls =
      last?.role === 'assistant' ? last.content.filter((part) => part.type === 'tool-call') : []
    this.prompt.push({
      role: 'tool',
      content: calls.map((call, n) => ({
        type: 'tool-result',
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        output:
          values[n] instanceof Error
            ? { type: 'error-text', value: values[n].message }
            : { type: 'json', value: JSON.parse(JSON.stringify(values[n] ?? null)) },
      })),
    })
    return this.reply()
  }

  async reply(options: { readonly toolChoice?: { type: 'none' } } = {}): Promise<Said> {
    const seen = await observeReply(this.#model, {
      prompt: [...this.prompt],
      tools: this.#tools,
      ...options,
    })
    if (seen.errors.length > 0) throw new Error(seen.failures.join('; '))
    this.prompt.push({
      role: 'assistant',
      content: [
        ...(seen.text === '' ? [] : [{ type: 'text' as const, text: seen.text }]),
        ...seen.calls.map((call) => ({
          type: 'tool-call' as const,
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          input: JSON.parse(call.input) as unknown,
        })),
      ],
    })
    return {
      text: seen.text,
      finish: seen.finish,
      calls: seen.calls.map((call) => ({
        name: call.toolName,
        args: JSON.parse(call.input),
        id: call.toolCallId,
      })),
    }
  }
}
