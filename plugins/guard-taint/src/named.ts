import type { PreparedCall } from '@amodal/sdk'
import { belowBase } from './chosen.ts'
import { originOf, type Origin } from './origin.ts'
import { sourceOf } from './trusted-value.ts'
import type { Known } from './taint.ts'

/**
 * Finds untrusted text that mentions a call: its tool by name, or its endpoint by method and path.
 */
export function namedBy({ tool, action }: PreparedCall, known: Known): Origin | undefined {
  if (action?.protocol !== 'rest') {
    const names = [
      tool.name,
      ...(action?.protocol === 'mcp' && /[_-]/.test(action.path) ? [action.path] : []),
    ]
    return firstOf(
      'tool',
      names.map((name) => [name]),
      known,
    )
  }
  const paths = [...new Set([action.path, belowBase(action.path, action.base)])].filter(
    (path) => path !== '' && path !== '/',
  )
  // Of a read the method goes without saying, and what it takes along may stand in its path.
  const reads =
    action.effect === 'read'
      ? paths.map((path) => path.replace(/\/[^/]*$/, '')).filter((path) => path !== '')
      : []
  return firstOf(
    'endpoint',
    action.effect === 'read'
      ? [...paths, ...reads].map((path) => [path])
      : paths.map((path) => [action.method, path]),
    known,
  )
}

function firstOf(
  field: string,
  names: readonly (readonly string[])[],
  known: Known,
): Origin | undefined {
  for (const parts of names) {
    const sources = parts.map((part) => sourceOf(part, known))
    if (!sources.includes(undefined))
      return originOf({ field, value: parts.join(' ') }, sources.at(-1))
  }
  return undefined
}
