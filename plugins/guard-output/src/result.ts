import type { Json, JsonObject, RunContext, ToolContent, ToolResult } from '@amodal/sdk'
import { mapLeaves } from './leaves.ts'
import { redactPart } from './redact.ts'
import { inOrder, readerOf, type Review } from './review.ts'

/**
 * Removes redacted values of this session from the result of a tool: those of this result and of
 * earlier ones.
 */
export function withoutKnownValues(
  result: ToolResult,
  review: Review,
  ctx: RunContext,
): ToolResult {
  const reader = readerOf(ctx)
  const known = review.index(reader)
  const own = result.status === 'asks' ? [] : (result.redacted ?? [])
  const added = own.filter((value) => !known.has(value))
  if (ctx.redacted.length === 0 && added.length === 0) return result
  const readers = [reader, { redacted: added, roles: ctx.roles, scope: added }]
  const text = (original: string): string => {
    const found = inOrder(
      readers
        .flatMap((one) => review.values(original, one))
        .map((one) => ({ ...one, action: 'redact' as const })),
    )
    return found.length === 0 ? original : redactPart(original, found, 0, original.length)
  }
  return result.status === 'asks' ? asking(result, text) : answering(result, text)
}

type Change = (original: string) => string
type Asking = Extract<ToolResult, { readonly status: 'asks' }>
type Answering = Exclude<ToolResult, Asking>

function answering(result: Answering, text: Change): ToolResult {
  const value = (original: Json): Json =>
    mapLeaves(original, (leaf) => {
      const clean = text(String(leaf))
      return clean === String(leaf) ? leaf : clean
    })
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

/**
 * A question: all of its texts, and numbers that stand there to be sent; limits and lengths stay.
 */
function asking(result: Asking, text: Change): Asking {
  const plain = result.question as unknown as JsonObject // plain data
  const question = mapLeaves(plain, (leaf, name) => {
    if (typeof leaf === 'number' && name !== 'default') return leaf
    const clean = text(String(leaf))
    return clean === String(leaf) ? leaf : clean
  })
  // of the same shape
  return question === plain
    ? result
    : { ...result, question: question as unknown as Asking['question'] }
}

function contentOf(content: readonly ToolContent[], text: Change): readonly ToolContent[] {
  const clean = content.map((part) => {
    const redacted = part.type === 'text' ? text(part.text) : undefined
    return part.type !== 'text' || redacted === undefined || redacted === part.text
      ? part
      : { ...part, text: redacted }
  })
  return clean.every((part, at) => part === content[at]) ? content : clean
}
