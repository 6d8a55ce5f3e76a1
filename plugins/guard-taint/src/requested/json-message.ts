import { isList, isObject, type Json, messageOf, trySync } from '@amodal/sdk'

/** Levels of a message that is read as JSON; one that has more is a text. */
const DEEPEST = 20

/**
 * The words of a message. A program may send JSON: what is in it counts like a person's sentences,
 * and the names of its fields are no verbs.
 *
 * @example messageWords('{"task":"Close 7.","urgent":true}') // 'Close 7.\nurgent: true'
 */
export function messageWords(text: string): string {
  if (!/^\s*[[{]/.test(text) || isDeep(text)) return text
  const parsed = trySync(() => JSON.parse(text) as Json, messageOf)
  return parsed.ok ? linesOf(parsed.value, '').join('\n') : text
}

function linesOf(value: Json, name: string): readonly string[] {
  if (isList(value)) return value.flatMap((one) => linesOf(one, name))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined ? [] : linesOf(inner, key),
    )
  if (typeof value === 'string' && (/\s/.test(value.trim()) || name === '')) return [value]
  return [name === '' ? String(value) : `${name.replaceAll(/[_-]+/g, ' ')}: ${String(value)}`]
}

/** Brackets within texts count as well: what is deep for their sake is none the worse. */
function isDeep(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    if (depth > DEEPEST) return true
  }
  return false
}
