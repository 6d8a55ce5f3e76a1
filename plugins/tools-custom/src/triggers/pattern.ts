import { createRequire } from 'node:module'
import { err, messageOf, ok, trySync, type JsonObject, type Result } from '@amodal/sdk'
import type * as Re2 from 're2js'
import type { Trigger } from '../custom-tool.ts'

const load = createRequire(import.meta.url)
/** Loaded by the first trigger that needs it. */
const library = () => load('re2js') as typeof Re2

type RegexTrigger = Extract<Trigger, { readonly kind: 'regex' }>

/** The named groups of the first match in a text; `undefined` where nothing matches. */
export type Matcher = (text: string) => JsonObject | undefined

/**
 * Compiles the pattern of a trigger. It is matched with what anybody sends, in linear time whatever
 * it says; look-around and back-references are errors.
 */
export function matcherOf({
  pattern,
  flags = '',
}: Pick<RegexTrigger, 'pattern' | 'flags'>): Result<Matcher, string> {
  const { RE2JS } = library()
  const bits = [
    flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0,
    flags.includes('m') ? RE2JS.MULTILINE : 0,
    flags.includes('s') ? RE2JS.DOTALL : 0,
  ].reduce((all, bit) => all | bit)
  const compiled = trySync(
    () => RE2JS.compile(RE2JS.translateRegExp(pattern), bits),
    (cause) => messageOf(cause),
  )
  if (!compiled.ok) return err(compiled.error)
  const names = Object.keys(compiled.value.namedGroups())
  return ok((text) => {
    const matcher = compiled.value.matcher(text)
    if (!matcher.find()) return undefined
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = matcher.group(name)
        return value === null ? [] : [[name, value] as const]
      }),
    )
  })
}
