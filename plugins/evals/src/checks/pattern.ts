import { createRequire } from 'node:module'
import { messageOf, type Result, trySync } from '@amodal/sdk'
import type * as Re2 from 're2js'

/** Whether a text has a match of a pattern. */
export type Pattern = (text: string) => boolean

// Loaded by the first pattern.
const load = createRequire(import.meta.url)
const library = (): typeof Re2 => load('re2js') as typeof Re2

/**
 * Compiles a regular expression that runs in linear time, whatever it says and on whatever a model
 * writes: look-around and back-references are not known. `(?i)` at the beginning ignores case.
 *
 * @returns why the pattern cannot be used
 * @example
 * const pattern = compilePattern('(?i)total: \\d+')
 * if (pattern.ok) pattern.value('Total: 42') // true
 */
export function compilePattern(pattern: string): Result<Pattern, string> {
  return trySync(() => {
    const { RE2JS } = library()
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return (text: string): boolean => compiled.matcher(text).find()
  }, messageOf)
}
