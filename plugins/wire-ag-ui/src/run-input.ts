import { err, failure, ok, type AssetInput, type Failure, type Result } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { fileOfUrl, messageProblem } from '@amodal/sdk/wire'
import { z } from 'zod'

export interface MessageLimits {
  readonly maxMessageChars: number
}

const source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('data'), value: z.string(), mimeType: z.string().max(200) }),
  z.object({
    type: z.literal('url'),
    value: z.string(),
    mimeType: z.string().max(200).nullish(),
  }),
  z.object({ type: z.literal('file'), value: z.string() }),
])
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.enum(['image', 'audio', 'video', 'document']),
    source,
    metadata: z
      .object({ filename: z.string().max(500).nullish() })
      .nullish()
      .catch(null),
  }),
  z.object({ type: z.literal('binary') }),
])
const message = z.looseObject({
  id: z.string().max(500),
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'activity', 'reasoning']),
  content: z.unknown().optional(),
})
export type InputMessage = z.output<typeof message>
const content = z.union([z.string(), z.array(part)])

const name = z.string().min(1).max(500)

/** `RunAgentInput` of the protocol. Fields that nobody here knows are let be. */
export const runInput = z.object({
  threadId: name,
  runId: name,
  parentRunId: z.string().max(500).nullish(),
  messages: z.array(message).max(20_000),
  /** Tools that the client would run. */
  tools: z.array(z.object({ name: z.string() })).nullish(),
  context: z
    .array(z.object({ description: z.string().max(100), value: z.string().max(10_000) }))
    .max(50)
    .nullish(),
  resume: z
    .array(
      z.object({
        interruptId: z.string().max(200),
        status: z.enum(['resolved', 'cancelled']),
        payload: jsonValue.optional(),
      }),
    )
    .max(100)
    .nullish(),
})
export type RunInput = z.output<typeof runInput>
export type ResumeEntry = NonNullable<RunInput['resume']>[number]

/** What the person says in this run. */
export interface Said {
  readonly id: string
  readonly text: string
  readonly assets: readonly AssetInput[]
}

/**
 * The newest message, where it is one of the person: what stands before is the session's. Messages
 * that no model sees do not count.
 */
export function newestMessage(
  { messages }: RunInput,
  limits: MessageLimits,
): Result<Said | undefined, Failure> {
  const last = messages.findLast(({ role }) => role !== 'activity' && role !== 'reasoning')
  if (last?.role !== 'user') return ok(undefined)
  const read = content.safeParse(last.content)
  if (!read.success)
    return err(failure('VALIDATION_ERROR', 'messages: the last one has no content of the protocol'))
  const parts =
    typeof read.data === 'string' ? [{ type: 'text' as const, text: read.data }] : read.data
  const texts: string[] = []
  const assets: AssetInput[] = []
  for (const [at, one] of parts.entries()) {
    const problem = addPart(one, texts, assets)
    if (problem !== undefined)
      return err(failure('VALIDATION_ERROR', `messages: content.${at} of the last one: ${problem}`))
  }
  const text = texts.join('\n')
  const problem = messageProblem({ text, assets }, limits.maxMessageChars)
  if (problem !== undefined) return err(failure('VALIDATION_ERROR', problem))
  return ok({ id: last.id, text, assets })
}

/** @returns what is wrong with it */
function addPart(
  one: z.output<typeof part>,
  texts: string[],
  assets: AssetInput[],
): string | undefined {
  switch (one.type) {
    case 'text':
      texts.push(one.text)
      return undefined
    case 'binary':
      return 'binary is not taken; send an image, audio, video or document'
    default: {
      const { source: from, metadata } = one
      if (from.type === 'file') return 'source: files of providers are not read; send the data'
      const named = metadata?.filename ? { name: metadata.filename } : {}
      const file =
        from.type === 'data'
          ? ok({ mediaType: from.mimeType, data: from.value, ...named })
          : fileOfUrl(from.value, { ...(from.mimeType && { mediaType: from.mimeType }), ...named })
      if (!file.ok) return `source: ${file.error}`
      assets.push(file.value)
      return undefined
    }
  }
}
