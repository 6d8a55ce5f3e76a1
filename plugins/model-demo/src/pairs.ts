import type { Field } from './schema.ts'
import { identifierWords } from './words.ts'

/** A value that a message gives to a parameter by name. */
export interface Pair {
  readonly field: Field
  readonly raw: string
  /** Said with a sign or a verb ("amount: 5", "amount is 5"), not merely beside it ("amount 5"). */
  readonly strong: boolean
}

interface Mention extends Omit<Pair, 'raw'> {
  readonly start: number
  readonly end: number
}

const NAMES = new Set(['name', 'title', 'label'])
const SIGN = String.raw`(?:\s+of\s+[^,;.\n]{1,80}?\s+to\s|\s*(?::|=|\s(?:is|are|was|to|as|of|should be|will be)\s))\s*`
/** Where a value ends that nothing marks as one. */
export const NEXT_PHRASE = /\s+(?:about|for|in|at|of|to|on|from|with|as|by|please)\b/i
const TRAILING = /(?:[\s,;]|\b(?:and|with|where|the|its?|set|a|an)\b)+$/i

/**
 * Finds "key: value", "key = value", "key is value", "key value" and "named value" for the given
 * fields. A value reaches to the next key, or to the end of its line, clause or sentence.
 */
export function pairsIn(text: string, fields: readonly Field[]): readonly Pair[] {
  const found = separate(fields.flatMap((field) => mentionsOf(text, field)))
  return found
    .map(({ field, strong, end }, at) => {
      const rest = text.slice(end, found[at + 1]?.start)
      return { field, strong, raw: valueAt(rest, field, strong) }
    })
    .filter((pair) => pair.raw !== '')
}

function mentionsOf(text: string, field: Field): readonly Mention[] {
  const words = identifierWords(field.name).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
  if (words.length === 0) return []
  const name = words.join(String.raw`[\s_-]*`)
  const named = NAMES.has(words.at(-1) ?? '')
    ? String.raw`|\b(?:named|called|titled|entitled)\s+`
    : ''
  const strong = at(
    text,
    new RegExp(String.raw`\b${name}\b["'\x60*]*(?:${SIGN})${named}`, 'gi'),
  ).map((span) => ({ field, strong: true, ...span }))
  const weak = at(text, new RegExp(String.raw`\b${name}\b\s+`, 'gi')).map((span) => ({
    field,
    strong: false,
    ...span,
  }))
  return [...strong, ...weak.filter((span) => !strong.some((one) => one.start === span.start))]
}

function at(
  text: string,
  pattern: RegExp,
): readonly { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(pattern)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
  }))
}

/**
 * In the order of the text; of two that overlap the longer one is meant (`due date` over `date`).
 */
function separate(all: readonly Mention[]): readonly Mention[] {
  const kept: Mention[] = []
  for (const mention of [...all].sort((a, b) => b.end - b.start - (a.end - a.start))) {
    if (!kept.some((other) => mention.start < other.end && other.start < mention.end))
      kept.push(mention)
  }
  return kept.sort((a, b) => a.start - b.start)
}

function valueAt(rest: string, field: Field, strong: boolean): string {
  const quoted = /^\s*(?:"[^"\n]+"|“[^”\n]+”|`[^`\n]+`|'[^'\n]+'(?![\p{L}\p{N}]))/u.exec(rest)
  if (quoted !== null) return quoted[0].trim()
  const ends = field.kind === 'array' ? /[;\n]|[.!?](?:\s|$)/ : /[;\n]|,(?!\d{3}\b)|[.!?](?:\s|$)/
  const clause = rest.split(ends, 1)[0] ?? ''
  return (strong ? clause : (clause.split(NEXT_PHRASE, 1)[0] ?? '')).replace(TRAILING, '').trim()
}
