import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { splitContext } from '@amodal/sdk'
import { isRecord, parsed } from './json.ts'
import { readFields, type Field } from './schema.ts'
import { toolIntent, type Intent } from './intent.ts'
import { identifierWords, mentionsOf } from './words.ts'

export interface Tool {
  readonly name: string
  readonly description: string
  readonly intent: Intent
  /** The words of its name, as stems. */
  readonly named: ReadonlySet<string>
  readonly fields: readonly Field[]
}

/** What came of a call of this turn. */
export interface Outcome {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly failed: boolean
  readonly value: unknown
}

/** A prompt, as far as the demo model looks at it. */
export interface Turn {
  /** Nothing has been answered yet in this session. */
  readonly first: boolean
  readonly system: string
  /** What the person says now. */
  readonly text: string
  /** What the person said before, each with the answer to it, oldest first. */
  readonly before: readonly { readonly text: string; readonly answer: string }[]
  readonly outcomes: readonly Outcome[]
  readonly hasImage: boolean
}

type Content = LanguageModelV4Prompt[number]

export function readTurn(prompt: LanguageModelV4Prompt): Turn {
  const at = prompt.findLastIndex((message) => message.role === 'user')
  const earlier = prompt.slice(0, Math.max(0, at))
  const user = prompt[at]
  return {
    first: !prompt.some((message) => message.role === 'assistant'),
    system: prompt
      .map((message) => (message.role === 'system' ? message.content : ''))
      .join('\n\n')
      .trim(),
    text: user === undefined ? '' : textOf(user),
    before: exchangesOf(earlier),
    outcomes: outcomesOf(prompt.slice(at + 1)),
    hasImage: user?.role === 'user' && user.content.some((part) => part.type === 'file'),
  }
}

function exchangesOf(messages: LanguageModelV4Prompt): Turn['before'] {
  const exchanges: { text: string; answer: string }[] = []
  for (const message of messages) {
    if (message.role === 'user') exchanges.push({ text: textOf(message), answer: '' })
    const last = exchanges.at(-1)
    if (message.role === 'assistant' && last !== undefined) last.answer = textOf(message)
  }
  return exchanges
}

export function readTool(tool: LanguageModelV4FunctionTool): Tool {
  const { name, description = '', inputSchema } = tool
  return {
    name,
    description,
    intent: toolIntent(name),
    named: mentionsOf(identifierWords(name).join(' ')),
    fields: readFields(inputSchema),
  }
}

/** The text of a message, without the context that the host page adds below it. */
function textOf(message: Content): string {
  if (typeof message.content === 'string') return message.content
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return splitContext(text).text.trim()
}

function outcomesOf(messages: LanguageModelV4Prompt): readonly Outcome[] {
  const args = new Map<string, Readonly<Record<string, unknown>>>()
  const outcomes: Outcome[] = []
  for (const message of messages) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-call') args.set(part.toolCallId, argsOf(part.input))
      if (part.type === 'tool-result')
        outcomes.push({
          tool: part.toolName,
          args: args.get(part.toolCallId) ?? {},
          ...resultOf(part.output),
        })
    }
  }
  return outcomes
}

function argsOf(input: unknown): Readonly<Record<string, unknown>> {
  const value = typeof input === 'string' ? parsed(input) : input
  return isRecord(value) ? value : {}
}

type Output = Extract<
  Extract<Content, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function resultOf(output: Output): { readonly failed: boolean; readonly value: unknown } {
  switch (output.type) {
    case 'text':
      return { failed: false, value: parsed(output.value) }
    case 'json':
      return { failed: false, value: output.value }
    case 'error-text':
    case 'error-json':
      return { failed: true, value: output.value }
    case 'execution-denied':
      return { failed: true, value: output.reason ?? 'it was denied' }
    case 'content':
      return {
        failed: false,
        value: output.value
          .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
          .join('\n'),
      }
    default:
      return output satisfies never
  }
}
