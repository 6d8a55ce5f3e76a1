import { textStart, textEnd } from '@amodal/sdk/data'
import type { Message } from '@amodal/sdk'
import { inputText, resultText } from './sizes.ts'

/** Characters of one result at least, however many there are. */
const LEAST = 400

interface Line {
  readonly text: string
  readonly isResult: boolean
}

/**
 * Messages as text of at most so many characters: results are shortened first, then the middle is
 * left out.
 */
export function transcript(messages: readonly Message[], most: number): string {
  const lines = messages.flatMap(linesOf)
  const results = lines.filter(({ isResult }) => isResult).length
  const words = lines.reduce((sum, { text, isResult }) => sum + (isResult ? 0 : text.length), 0)
  const each = Math.max(LEAST, Math.floor((most - words) / Math.max(1, results)))
  return shortened(
    lines.map(({ text, isResult }) => (isResult ? shortened(text, each) : text)).join('\n'),
    most,
  )
}

/** Of a person's, the words; of the model's, words and calls; of a tool's, results. */
function linesOf(message: Message): readonly Line[] {
  const line = (text: string, isResult = false): Line => ({ text, isResult })
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return [
        line(
          `person: ${message.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join(' ')}`,
        ),
      ]
    case 'assistant':
      return message.content.flatMap((part) => {
        if (part.type === 'text') return [line(`assistant: ${part.text}`)]
        return part.type === 'tool-call'
          ? [line(`call ${part.toolName} ${shortened(inputText(part.input), 2_000)}`)]
          : []
      })
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [line(`result of ${part.toolName}: ${resultText(part)}`, true)]
          : [],
      )
  }
}

/** The beginning and the end of a text. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.ceil(most * 0.7)
  return `${textStart(text, head)} … [${text.length - most} characters] … ${textEnd(text, most - head)}`
}
