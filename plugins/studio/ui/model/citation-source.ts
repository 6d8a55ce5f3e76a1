import type { Json } from '@amodal/sdk'
import type { Citation } from '@amodal/sdk/client'
import { isJsonObject } from './json-object.ts'
import type { Route } from './route.ts'
import type { Server } from './server.ts'
import type { ShownValue, TraceDetail } from './trace.ts'

/** Characters around a quote that are shown at first. */
const AROUND = 600

/** The text that a quote stands in, cut at the quote. */
export interface QuotedText {
  readonly before: string
  readonly quote: string
  readonly after: string
}

/** What a citation leads to. */
export interface FoundSource {
  /** Where the whole of it is shown. */
  readonly route: Route
  /** The quote in its text; `undefined`: it does not stand in what this person may see. */
  readonly quoted: QuotedText | undefined
  /** The whole of the text; `undefined`: this person may not see it. */
  readonly text: string | undefined
}

/**
 * Reads what a citation names: an entry of the journal by the trace of its session, or a knowledge
 * document as it is now.
 */
export async function readSource(
  server: Server,
  session: string,
  { quote, source }: Citation,
): Promise<FoundSource> {
  if (source.kind === 'document') {
    const { document: name, start } = source
    const { text } = await server.read<{ readonly text: string }>(
      `/inspect/knowledge/${encodeURIComponent(name)}`,
    )
    return {
      route: { view: 'knowledge', name },
      quoted: cutAt(text, quote, start),
      text,
    }
  }
  const read = (row: string): Promise<TraceDetail> =>
    server.read(`/sessions/${encodeURIComponent(session)}/trace/${row}?full=true`)
  let detail = await read(String(source.entry))
  // the verdict of a guard on a result has the number of the result: the call is what is meant
  if (detail.row.kind === 'guard' && detail.row.of !== undefined) detail = await read(detail.row.of)
  const shown: ShownValue | undefined = detail.result ?? detail.text
  const route: Route = {
    view: 'session',
    id: session,
    pane: 'trace',
    entry: detail.row.key,
  }
  if (shown?.value === undefined) return { route, quoted: undefined, text: undefined }
  const output = shown.value as Json // of a journal
  const text = textAt(output, source.path)
  return text === undefined
    ? { route, quoted: undefined, text: asText(output) }
    : { route, quoted: cutAt(text, quote, source.start), text }
}

/** The quote at its place, or where it stands now that something before it was taken out. */
export function cutAt(text: string, quote: string, start: number): QuotedText | undefined {
  const at = text.startsWith(quote, start) ? start : text.indexOf(quote)
  if (at === -1) return undefined
  return {
    before: text.slice(0, at),
    quote,
    after: text.slice(at + quote.length),
  }
}

/** The same with less around the quote, from word to word, and whether something is left out. */
export function excerptOf({ before, quote, after }: QuotedText): QuotedText {
  const from = before.length > AROUND ? before.indexOf(' ', before.length - AROUND) : 0
  const to = after.length > AROUND ? after.lastIndexOf(' ', AROUND) : after.length
  const hasWord = { before: from !== -1, after: to !== -1 }
  return {
    before: from === 0 ? before : `… ${before.slice(hasWord.before ? from + 1 : -AROUND)}`,
    quote,
    after: to === after.length ? after : `${after.slice(0, hasWord.after ? to : AROUND)} …`,
  }
}

/** The text at a JSON Pointer. */
function textAt(value: Json, pointer: string): string | undefined {
  let found: Json | undefined = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(found)) found = (found as readonly Json[])[Number(name)] // a list of JSON
    else if (isJsonObject(found)) found = found[name]
    else return undefined
  }
  return typeof found === 'string' ? found : undefined
}

const asText = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
