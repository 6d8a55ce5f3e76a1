import { isList, isObject, type Json, type Message } from '@amodal/sdk'

type ToolPart = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>

/** Levels of a value that are read; deeper ones count as untrusted. */
const MOST_LEVELS = 200

/**
 * The texts of a value with the names that they stand under, line by line: what somebody reads who
 * reads the whole.
 */
export function textOf(value: Json): string {
  const lines: string[] = []
  write(value, '', lines, 0)
  return lines.join('\n')
}

function write(value: Json, name: string, lines: string[], level: number): void {
  if (level > MOST_LEVELS) return void lines.push('…')
  if (isList(value)) for (const item of value) write(item, name, lines, level + 1)
  else if (isObject(value)) {
    if (name !== '') lines.push(name)
    for (const [key, item] of Object.entries(value)) write(item, key, lines, level + 1)
  } else if (value !== null) lines.push(name === '' ? String(value) : `${name}: ${String(value)}`)
}

/** The result of a call, as the model got it. */
export function resultText({ output }: ToolPart): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      // the provider's type of JSON is looser, and the value is what a tool gave
      return textOf(output.value as Json)
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
        .join('\n')
    case 'execution-denied':
      return output.reason ?? ''
  }
}

/** What a person wrote. */
export function userText({ content }: Extract<Message, { role: 'user' }>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
