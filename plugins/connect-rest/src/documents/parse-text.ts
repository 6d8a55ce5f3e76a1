import { createRequire } from 'node:module'
import { messageOf, trySync, type Json, type Result } from '@amodal/sdk'
import type * as Yaml from 'yaml'

/**
 * Loaded by the first document that is no JSON: a start without any need not wait for its seventy
 * files.
 */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

/** A document in JSON, or in YAML with its merge keys (`<<`). */
export function parseText(text: string): Result<Json, string> {
  return trySync(
    () =>
      (/^\s*\{/.test(text)
        ? JSON.parse(text)
        : yaml().parse(text, { maxAliasCount: 1_000, merge: true })) as Json,
    (cause) => `it cannot be parsed: ${messageOf(cause).split('\n')[0] ?? ''}`,
  )
}
