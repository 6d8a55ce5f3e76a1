import { type Json, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { asJson, type Place, type ParsedText } from './parsed-text.ts'

/** What servers write before JSON so that it is no script. */
const GUARD = /^(?:\)\]\}',?\s*|while\s*\(1\);\s*|for\s*\(;;\);\s*|\/\*\*\/\s*)/
const CALLED = /^(?:\/\*\*\/\s*)?[\w$.]{1,100}\s*\(([^]*)\)\s*;?$/

export const parsed = (text: string): { readonly value: Json } | undefined => {
  const read = trySync(
    () => parseExact(text) as Json,
    () => undefined,
  ) // it was JSON text
  return read.ok ? { value: read.value } : undefined
}

/**
 * One value of JSON, also behind what keeps it from being a script, or as the argument of a call.
 */
export function readJson(text: string): ParsedText | undefined {
  const bare = text
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(GUARD, '')
  const read = /^[[{"]/.test(bare) ? parsed(bare) : undefined
  if (read) return { value: read.value, render: asJson }
  const called = CALLED.exec(bare)?.[1]
  const argument = called === undefined ? undefined : parsed(called)
  return argument && typeof argument.value === 'object'
    ? { value: argument.value, render: asJson }
    : undefined
}

/** Values of JSON one after another, a line each or not. */
export function readJsonSequence(text: string): ParsedText | undefined {
  const values: Json[] = []
  const bare = text.replaceAll('\u001E', '\n')
  for (let at = nextChar(bare, 0); at < bare.length; at = nextChar(bare, at)) {
    const end = /[[{]/.test(bare.charAt(at)) ? endOfJson(bare, at) : undefined
    const read = end === undefined ? undefined : parsed(bare.slice(at, end))
    if (end === undefined || !read) return undefined
    values.push(read.value)
    at = end
  }
  return values.length < 2
    ? undefined
    : {
        value: values,
        render: (clean) =>
          Array.isArray(clean)
            ? clean.map((one: Json) => JSON.stringify(one)).join('\n')
            : asJson(clean),
      }
}

/** Lines of server-sent events; what they carry has to be understood as well. */
export function readEvents(text: string, { read }: Place): ParsedText | undefined {
  if (!/^(?:data|event|id|retry)?:/m.test(text)) return undefined
  const events: Record<string, Json>[] = []
  for (const block of text.replaceAll('\r\n', '\n').split(/\n{2,}/)) {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^(data|event|id|retry)?: ?(.*)$/.exec(line) ?? []
      if (line.trim() !== '' && name === undefined && !line.startsWith(':')) return undefined
      if (name !== undefined)
        fields.set(
          name,
          name === 'data' && fields.has('data') ? `${fields.get('data') ?? ''}\n${value}` : value,
        )
    }
    const data = fields.get('data')
    if (data === undefined) continue
    const event = fields.get('event')
    const inner = data === '[DONE]' ? { value: data } : read(data)
    if (!inner || (event !== undefined && !/^[\w.:-]{1,40}$/.test(event))) return undefined
    events.push({ ...(event !== undefined && { event }), data: inner.value })
  }
  return events.length === 0 ? undefined : { value: events, render: asJson }
}

const nextChar = (text: string, from: number): number => {
  let at = from
  while (at < text.length && /[\s,]/.test(text.charAt(at))) at++
  return at
}

/** Where brackets and quotes that begin at a place are closed again. */
export function endOfJson(text: string, start: number): number | undefined {
  let depth = 0
  for (let at = start, quoted = false; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return undefined
}
