import { createRequire } from 'node:module'
import { isObject, trySync, type Json } from '@amodal/sdk'
import type * as Yaml from 'yaml'

/** Loaded by the first frontmatter. */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

const FRONTMATTER = /^---[^\S\n]*\n([\s\S]*?\n)?---[^\S\n]*(?:\n|$)/

/**
 * The name that a skill gives itself: `name` of its frontmatter, else its first heading.
 *
 * @param text of its file
 */
export function nameIn(text: string): string | undefined {
  const [frontmatter = '', fields = ''] = FRONTMATTER.exec(text) ?? []
  const name = nameOf(fields)
  if (name !== undefined) return name
  const title = /^\s*#\s+(.*?)\s*#*\s*(?:\n|$)/.exec(text.slice(frontmatter.length))?.[1]
  return title === undefined || title === '' ? undefined : title.replace(/^skill:\s*/i, '')
}

function nameOf(fields: string): string | undefined {
  // What is wrong with it is named when the agent is loaded.
  const read = trySync(() => yaml().parse(fields, { logLevel: 'silent' }) as Json, String)
  const value = read.ok && isObject(read.value) ? read.value['name'] : undefined
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Names that mean the same skill: `Incident Response` and `incident-response`. */
export const plainName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-')
