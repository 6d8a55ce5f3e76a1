import type { Json, RunContext, ToolContent, ToolResult } from '@amodal/sdk'
import { joined, mapLeaves } from './leaves.ts'
import { inOrder, type Review } from './review.ts'
import { redacted } from './withhold.ts'

/**
 * What a tool answered, without values that this session has withheld: neither this answer's own
 * nor those of earlier ones.
 */
export function withoutKnown(result: ToolResult, review: Review, ctx: RunContext): ToolResult {
  if (result.status === 'asks') return result
  const earlier = review.known(ctx)
  const lists = [
    ctx.withheld,
    (result.withheld ?? []).filter((value) => !earlier.has(value)),
  ].filter(({ length }) => length > 0)
  if (lists.length === 0) return result
  const text = (said: string): string => {
    const found = inOrder(
      lists
        .flatMap((withheld) => review.values(said, { withheld, roles: ctx.roles }))
        .map((one) => ({ ...one, action: 'redact' as const })),
    )
    return found.length === 0 ? said : redacted(said, found, 0, said.length)
  }
  const value = (said: Json): Json => {
    const all = joined(said)
    return text(all) === all
      ? said
      : mapLeaves(said, (leaf) => {
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

function contentOf(
  content: readonly ToolContent[],
  text: (said: string) => string,
): readonly ToolContent[] {
  const clean = content.map((part) =>
    part.type === 'text' && text(part.text) !== part.text
      ? { ...part, text: text(part.text) }
      : part,
  )
  return clean.every((part, at) => part === content[at]) ? content : clean
}
