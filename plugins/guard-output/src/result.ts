import type { Json, JsonObject, RunContext, ToolContent, ToolResult } from '@amodal/sdk'
import { joined, mapLeaves } from './leaves.ts'
import { inOrder, type Review } from './review.ts'
import { redactPart } from './redact.ts'

/**
 * Removes redacted values of this session from the result of a tool: those of this result and of
 * earlier ones.
 */
export function withoutKnownValues(
  result: ToolResult,
  review: Review,
  ctx: RunContext,
): ToolResult {
  const earlier = review.known(ctx)
  const own = result.status === 'asks' ? [] : (result.redacted ?? [])
  const lists = [ctx.redacted, own.filter((value) => !earlier.has(value))].filter(
    ({ length }) => length > 0,
  )
  if (lists.length === 0) return result
  const text = (original: string): string => {
    const found = inOrder(
      lists
        .flatMap((redacted) => review.values(original, { redacted, roles: ctx.roles }))
        .map((one) => ({ ...one, action: 'redact' as const })),
    )
    return found.length === 0 ? original : redactPart(original, found, 0, original.length)
  }
  if (result.status === 'asks') return asking(result, text)
  const value = (original: Json): Json => {
    const all = joined(original)
    return text(all) === all
      ? original
      : mapLeaves(original, (leaf) => {
          const clean = text(String(leaf))
          return clean === String(leaf) ? leaf : clean
        })
  }
  const parts =
    result.status === 'error'
      ? {
          message: text(result.message),
          ...(result.output === undefined ? {} : { output: value(result.output) }),
        }
      : {
          output: value(result.output),
          ...(result.content ? { content: contentOf(result.content, text) } : {}),
        }
  return Object.entries(parts).every(([field, now]) => result[field as keyof typeof result] === now)
    ? result
    : { ...result, ...parts }
}

type Asking = Extract<ToolResult, { readonly status: 'asks' }>

/**
 * A question: all of its texts, and numbers that stand there to be sent; limits and lengths stay.
 */
function asking(result: Asking, text: (original: string) => string): Asking {
  const original = result.question as unknown as JsonObject // plain data
  const question = mapLeaves(original, (leaf, name) => {
    if (typeof leaf === 'number' && name !== 'default') return leaf
    const clean = text(String(leaf))
    return clean === String(leaf) ? leaf : clean
  })
  // of the same shape
  return question === original
    ? result
    : { ...result, question: question as unknown as Asking['question'] }
}

function contentOf(
  content: readonly ToolContent[],
  text: (question: string) => string,
): readonly ToolContent[] {
  const clean = content.map((part) =>
    part.type === 'text' && text(part.text) !== part.text
      ? { ...part, text: text(part.text) }
      : part,
  )
  return clean.every((part, at) => part === content[at]) ? content : clean
}
