import { hashOf, isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/**
 * Letters and the marks of a sentence: anything else is code, a path or an id, where every
 * character counts.
 */
const PROSE = /^[\p{L}\s.,;:!?'"’-]+$/u
/** Words that change nothing of what a question is about. */
const SMALL: ReadonlySet<string> = new Set(
  'a an and any all are at by can do for from get give i in is it list me my now of on or our please show the this to us was what where which with you'.split(
    ' ',
  ),
)

/**
 * A hash of what a call requests, equal for calls that are alike. Case, spacing and empty
 * arguments do not matter, nor the order and the small words of a sentence. Numbers, ids and pages
 * do: the next page is another call.
 *
 * @param tool its name
 */
export function likenessOf(tool: string, args: JsonObject): string {
  return hashOf([tool, plain(args)])
}

function plain(value: Json): Json {
  if (isList(value)) return value.map(plain)
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) =>
        one === undefined || one === null || one === '' ? [] : [[name, plain(one)]],
      ),
    )
  return typeof value === 'string' ? plainText(value) : value
}

function plainText(text: string): string {
  const spaced = text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  if (!PROSE.test(spaced)) return spaced
  const words = (spaced.match(/\p{L}+/gu) ?? []).filter((word) => !SMALL.has(word))
  return words.length === 0 ? spaced : [...new Set(words)].sort().join(' ')
}
