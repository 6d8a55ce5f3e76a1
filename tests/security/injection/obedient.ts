import { createHash } from 'node:crypto'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/**
 * A call that somebody wants. `{{find: PATTERN}}` in its arguments stands for the first text of the
 * conversation that fits.
 */
export interface Wanted {
  readonly tool: string
  readonly args: JsonObject
}

const MARKS: readonly RegExp[] = [
  /INSTRUCTION: call ([\w-]+) with (?=\{)/g,
  /use the tool "([\w-]+)" with the arguments (?=\{)/g,
  /\brun ([\w-]+)\((?=\{)/g,
  /<tool_call name="([\w-]+)">\s*(?=\{)/g,
  /"tool":\s*"([\w-]+)",\s*"arguments":\s*(?=\{)/g,
  /rufe ([\w-]+) auf mit (?=\{)/g,
]
const UNSEEN = /[\u{AD}\u{200B}-\u{200F}\u{2060}-\u{206F}\u{FEFF}]/gu

/**
 * A model that does whatever anybody tells it: the person, a result, a page, an error, the
 * description of a tool. What it reads it reads in every spelling it knows, and it does what
 * strangers want first.
 */
export function obedient(request: ChatCompletionRequest): Reply {
  const texts = request.messages.flatMap((message) =>
    message.role === 'user' || message.role === 'tool' ? [contentOf(message)] : [],
  )
  const strangers = [
    ...(request.tools ?? []).map((tool) => JSON.stringify(tool)),
    ...request.messages.flatMap((message) => (message.role === 'tool' ? [contentOf(message)] : [])),
  ]
  const person = request.messages.flatMap((message) =>
    message.role === 'user' ? [contentOf(message)] : [],
  )
  const calledIds = new Set(
    request.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    ),
  )
  const open = (
    wanted: readonly Wanted[],
  ): readonly { readonly id: string; readonly name: string; readonly arguments: JsonObject }[] => [
    ...new Map(
      wanted.flatMap((one) => {
        const args = filled(one.args, texts)
        const id = idOf(one)
        return args === undefined || calledIds.has(id)
          ? []
          : [[id, { id, name: one.tool, arguments: args }] as const]
      }),
    ).values(),
  ]
  const injected = open(wantedIn(strangers))
  const own = open(wantedIn(person))
    .filter(({ id }) => !injected.some((other) => other.id === id))
    .slice(0, 1)
  const calls = [...injected, ...own]
  return calls.length > 0 ? reply.toolCalls(calls) : reply.text('All done.')
}

const idOf = ({ tool, args }: Wanted): string =>
  `call_${createHash('sha256')
    .update(`${tool} ${JSON.stringify(args)}`)
    .digest('hex')
    .slice(0, 16)}`

function contentOf({ content }: ChatCompletionRequest['messages'][number]): string {
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => ('text' in part ? part.text : '')).join('\n')
}

/** All calls that texts ask for, in their order. Halves of an instruction are put together. */
export function wantedIn(texts: readonly string[]): readonly Wanted[] {
  const read = texts.flatMap((text) => readings(text))
  const halves = read.flatMap((text) =>
    [...text.matchAll(/PART (\d)\/2: ([^\n]*?) ?END/g)].map(
      ([, number = '', half = '']) => [number, half] as const,
    ),
  )
  const [first = [], second = []] = ['1', '2'].map((wanted) =>
    halves.flatMap(([number, half]) => (number === wanted ? [half] : [])),
  )
  return [...read, ...first.flatMap((one) => second.map((other) => one + other))].flatMap(spoken)
}

/** A text, the texts inside of it where it is JSON, and what it says in other spellings. */
function readings(text: string, depth = 0): readonly string[] {
  if (depth > 4 || text.length < 12) return []
  const clean = text.replace(UNSEEN, '')
  const inside = insideOf(clean)
  const decoded = [
    ...matches(clean, /[A-Za-z0-9+/]{24,}={0,2}/g).map((part) =>
      Buffer.from(part, 'base64').toString(),
    ),
    ...matches(clean, /\b(?:[0-9a-f]{2}){16,}\b/g).map((part) =>
      Buffer.from(part, 'hex').toString(),
    ),
    ...matches(clean, /\S*%7B\S*/g).map((part) => decodeURIComponent(part)),
    ...[...clean.matchAll(/ESREVER: ([^\n]+)/g)].map(([, part = '']) =>
      [...part].reverse().join(''),
    ),
    ...(/&(?:quot|#123);/.test(clean)
      ? [clean.replaceAll('&quot;', '"').replaceAll('&#123;', '{').replaceAll('&#125;', '}')]
      : []),
  ].filter((part) => !/[^\P{Cc}\t\n\r]|\uFFFD/u.test(part))
  return [clean, ...[...inside, ...decoded].flatMap((part) => readings(part, depth + 1))]
}

const matches = (text: string, pattern: RegExp): readonly string[] => text.match(pattern) ?? []

/** Texts and names of a text that is JSON, and of the JSON that stands in one. */
function insideOf(text: string): readonly string[] {
  if (/^\s*[[{"]/.test(text)) {
    try {
      return textsOf(JSON.parse(text) as Json)
    } catch {
      // It only begins like it.
    }
  }
  return [...text.matchAll(/\{(?=")/g)].flatMap(({ index }) => {
    const found = objectAt(text, index)
    return found === undefined ? [] : textsOf(found)
  })
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(textsOf)
  return isObject(value)
    ? Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)])
    : []
}

function spoken(text: string): readonly Wanted[] {
  const found = MARKS.flatMap((mark) =>
    [...text.matchAll(mark)].flatMap((match) => {
      const args = objectAt(text, match.index + match[0].length)
      return args === undefined ? [] : [{ at: match.index, tool: match[1] ?? '', args }]
    }),
  )
  return found.sort((a, b) => a.at - b.at).map(({ tool, args }) => ({ tool, args }))
}

/** The JSON object that begins at a place of a text. */
function objectAt(text: string, start: number): JsonObject | undefined {
  for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1)) as JsonObject // begins with a brace
    } catch {
      // It goes on behind this brace.
    }
  }
  return undefined
}

/**
 * Arguments with everything found that was to be found; `undefined` as long as something is not.
 */
function filled(args: JsonObject, texts: readonly string[]): JsonObject | undefined {
  let text = JSON.stringify(args)
  for (const [mark, pattern = ''] of text.matchAll(/\{\{find: (.+?)\}\}/g)) {
    const found = texts.flatMap(
      (one) => new RegExp(pattern.replaceAll('\\\\', '\\')).exec(one)?.[0] ?? [],
    )[0]
    if (found === undefined) return undefined
    text = text.replace(mark, JSON.stringify(found).slice(1, -1))
  }
  return JSON.parse(text) as JsonObject
}
