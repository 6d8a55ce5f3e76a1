import { createRequire } from 'node:module'
import { messageOf, trySync, type Result } from '@amodal/sdk'
import type * as Re2 from 're2js'

/** Whether a text fits. */
export type Pattern = (text: string) => boolean

// Loaded by the first search.
const load = createRequire(import.meta.url)

/**
 * A regular expression that takes linear time whatever it says: look-around and back-references are
 * not known.
 *
 * @returns why the pattern cannot be used
 */
export const regularExpression = (pattern: string, ignoreCase: boolean): Result<Pattern, string> =>
  trySync(() => {
    const { RE2JS } = load('re2js') as typeof Re2
    const expression = RE2JS.compile(
      RE2JS.translateRegExp(pattern),
      ignoreCase ? RE2JS.CASE_INSENSITIVE : 0,
    )
    return (text: string): boolean => expression.matcher(text).find()
  }, messageOf)

/** Parts of a glob; libraries make expressions of them that can take exponential time. */
const PARTS = /\*\*\/|\*\*|\*|\?|\[[!^]?[^\]/]+\]|\{|\}|,|[^*?[\]{},]+|./gsu

/**
 * A glob with `*`, `**`, `?`, `[…]` and `{a,b}`, in linear time. One without `/` fits names in any
 * folder.
 *
 * @returns why the glob cannot be used
 * @example
 * const pattern = glob('src/**\/*.{ts,tsx}') // fits src/a/b.ts
 */
export function glob(pattern: string): Result<Pattern, string> {
  const anywhere = pattern.includes('/') ? '' : '(?:.*/)?'
  let depth = 0
  const parts = pattern.replace(/^\.?\//, '').matchAll(PARTS)
  const source = [...parts].map(([part]) => {
    if (part === '{') depth += 1
    const inside = depth > 0
    if (part === '}' && inside) depth -= 1
    return expressionOf(part, inside)
  })
  if (depth > 0) return { ok: false, error: 'a { is not closed' }
  return regularExpression(`^${anywhere}${source.join('')}$`, false)
}

const FIXED: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
}

function expressionOf(part: string, inside: boolean): string {
  const fixed = FIXED[part]
  if (fixed !== undefined) return fixed
  if (inside && part === '{') return '(?:'
  if (inside && part === '}') return ')'
  if (inside && part === ',') return '|'
  if (part.startsWith('[') && part.length > 1)
    return part.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')
  return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
