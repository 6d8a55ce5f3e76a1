import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import type { StreamPart } from '../ports/model.ts'

/** More than this is no reply of a model. */
const MOST_CHARS = 16 * 1024 * 1024

/** One JSON document where a stream of events was asked for: some gateways know no streams. */
export class WholeBody extends Error {
  override readonly name = 'WholeBody'
  readonly #text: string

  constructor(text: string) {
    super('a whole body in place of a stream')
    this.#text = text
  }

  /** The body as an answer of its own, as it is read. */
  response(read: (text: string) => string): Response {
    return new Response(read(this.#text), {
      status: 200,
      headers: { 'content-type': 'application/json' },
    })
  }
}

export const isWholeBody = ({ headers }: Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

/** @returns nothing where the body is longer than any reply */
export async function wholeText({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > MOST_CHARS) return undefined
  }
  return text + decoder.decode()
}

/** The body that stands behind an error of a model's package. */
export function wholeBodyIn(cause: unknown): WholeBody | undefined {
  for (let at = cause, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++)
    if (at instanceof WholeBody) return at
  return undefined
}

/** A reply that came in one piece, as the parts of a stream. */
export function partsOf({
  content,
  finishReason,
  usage,
  warnings,
  response,
  providerMetadata,
}: LanguageModelV4GenerateResult): readonly StreamPart[] {
  const parts = content.flatMap((part, at): readonly StreamPart[] => {
    const id = String(at)
    const metadata =
      'providerMetadata' in part && part.providerMetadata
        ? { providerMetadata: part.providerMetadata }
        : {}
    switch (part.type) {
      case 'text':
        return [
          { type: 'text-start', id },
          { type: 'text-delta', id, delta: part.text },
          { type: 'text-end', id, ...metadata },
        ]
      case 'reasoning':
        return [
          { type: 'reasoning-start', id },
          { type: 'reasoning-delta', id, delta: part.text },
          { type: 'reasoning-end', id, ...metadata },
        ]
      default:
        return [part]
    }
  })
  const { id, modelId, timestamp } = response ?? {}
  return [
    { type: 'stream-start', warnings },
    {
      type: 'response-metadata',
      ...(id !== undefined && { id }),
      ...(modelId !== undefined && { modelId }),
      ...(timestamp && { timestamp }),
    },
    ...parts,
    { type: 'finish', finishReason, usage, ...(providerMetadata && { providerMetadata }) },
  ]
}
