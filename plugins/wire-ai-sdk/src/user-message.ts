import {
  err,
  failure,
  ok,
  type Failure,
  type AssetInput,
  type Json,
  type Result,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { fileOfUrl, messageProblem } from '@amodal/sdk/wire'
import { z } from 'zod'

export interface MessageLimits {
  readonly maxMessageChars: number
}

const part = z.looseObject({ type: z.string().max(200) })
export const uiMessage = z.object({
  id: z.string().max(200).nullish(),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(part).max(10_000).nullish(),
  /** Older clients send a text. */
  content: z.string().nullish(),
})
export type UiMessage = z.output<typeof uiMessage>
type Part = z.output<typeof part>

const textPart = z.object({ text: z.string() })
const filePart = z.object({
  url: z.string(),
  mediaType: z.string().max(200),
  filename: z.string().max(500).nullish(),
})
const dataPart = z.object({ data: jsonValue })

/** What a person said, and what they answered beside it. */
export interface Said {
  readonly text: string
  readonly assets: readonly AssetInput[]
  /** Data of parts `data-answer`. */
  readonly answers: readonly Json[]
}

/**
 * Reads a message of the person. Text and files are sent on, answers are given; other data is
 * the page's own, and anything else is refused.
 */
export function readMessage(
  { parts, content }: UiMessage,
  limits: MessageLimits,
): Result<Said, Failure> {
  const texts: string[] = []
  const assets: AssetInput[] = []
  const answers: Json[] = []
  const all: readonly Part[] = parts ?? [{ type: 'text', text: content ?? '' }]
  for (const [at, one] of all.entries()) {
    const problem = addPart(one, { texts, assets, answers })
    if (problem !== undefined)
      return err(failure('VALIDATION_ERROR', `messages: parts.${at} of the last one: ${problem}`))
  }
  const text = texts.join('\n')
  const problem = messageProblem({ text, assets }, limits.maxMessageChars, answers.length > 0)
  if (problem !== undefined) return err(failure('VALIDATION_ERROR', problem))
  return ok({ text, assets, answers })
}

interface Found {
  readonly texts: string[]
  readonly assets: AssetInput[]
  readonly answers: Json[]
}

/** @returns what is wrong with it */
function addPart(one: Part, found: Found): string | undefined {
  switch (one.type) {
    case 'text': {
      const text = textPart.safeParse(one)
      if (!text.success) return 'text: must be a text'
      found.texts.push(text.data.text)
      return undefined
    }
    case 'file': {
      const file = filePart.safeParse(one)
      if (!file.success) return 'a file has a url and a mediaType'
      const { url, mediaType, filename } = file.data
      const read = fileOfUrl(url, { mediaType, ...(filename && { name: filename }) })
      if (!read.ok) return `url: ${read.error}`
      found.assets.push(read.value)
      return undefined
    }
    case 'data-answer': {
      const data = dataPart.safeParse(one)
      if (!data.success) return 'data: must be JSON'
      found.answers.push(data.data.data)
      return undefined
    }
    default:
      return one.type.startsWith('data-')
        ? undefined
        : `type: "${one.type}" is not taken; a message has text, file and data parts`
  }
}
