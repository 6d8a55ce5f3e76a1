import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import {
  type BundleFile,
  isObject,
  type Json,
  type JsonObject,
  messageOf,
  trySync,
} from '@amodal/sdk'
import { EXPRESS_PROTECTION, type Issues, soundsLikeProtection } from '@amodal/sdk/files'

/** A markdown file, taken apart. */
export interface Markdown {
  /** Of the frontmatter; empty where there is none. */
  readonly fields: JsonObject
  /** What follows the frontmatter, by lines. */
  readonly lines: readonly string[]
  /** Line of the file on which `lines` begin. */
  readonly firstLine: number
}

/** Loaded by the first frontmatter: a start without any need not wait for its seventy files. */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

const FENCE = /^---\s*$/

/** Splits off the frontmatter; `undefined`, with an issue, where it cannot be read. */
export function readMarkdown(
  { path: file, text }: BundleFile,
  issues: Issues,
): Markdown | undefined {
  const lines = text.split('\n')
  if (!FENCE.test(lines[0] ?? '')) return { fields: {}, lines, firstLine: 1 }

  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line))
  if (end === -1) {
    issues.error('BAD_REPO', 'the frontmatter is not closed', {
      file,
      line: 1,
      fix: 'put --- on a line of its own after the last field',
    })
    return undefined
  }
  const fields = readYaml(lines.slice(1, end).join('\n'), file, issues)
  return fields && { fields, lines: lines.slice(end + 1), firstLine: end + 2 }
}

/** Frontmatter that sounds like a protection, and protects nothing. `true` where there is some. */
export function refuseUnreadProtections(
  source: BundleFile,
  fields: JsonObject,
  issues: Issues,
): boolean {
  const names = Object.keys(fields).filter(soundsLikeProtection)
  for (const name of names)
    issues.error('BAD_REPO', `\`${name}\` is not read, and protects nothing`, {
      file: source.path,
      line: lineOfField(source, name),
      fix: EXPRESS_PROTECTION,
    })
  return names.length > 0
}

/** Line of the file on which a field of the frontmatter begins. */
export function lineOfField({ text }: BundleFile, name: string): number {
  const at = text
    .split('\n')
    .findIndex(
      (line) =>
        line.replace(/^["']/, '').startsWith(name) &&
        /^["']?\s*:/.test(line.replace(/^["']/, '').slice(name.length)),
    )
  return at + 1 || 1
}

function readYaml(source: string, file: string, issues: Issues): JsonObject | undefined {
  const parsed = trySync(() => {
    const document = yaml().parseDocument(source, { schema: 'core', logLevel: 'silent' })
    const [problem] = document.errors
    // The core schema knows nothing but JSON. `toJS` throws on aliases that multiply without end.
    return problem ? { problem } : { value: document.toJS() as Json }
  }, messageOf)
  if (!parsed.ok || parsed.value.problem) {
    const said = parsed.ok ? (parsed.value.problem?.message ?? '') : parsed.error
    const line = (parsed.ok ? (parsed.value.problem?.linePos?.[0].line ?? 0) : 0) + 1
    const fix = /nested mapping|implicit key|compact/i.test(said)
      ? 'put the text after the colon in quotes'
      : 'correct the YAML'
    issues.error(
      'BAD_REPO',
      `the frontmatter is no valid YAML: ${said.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')}`,
      { file, line, fix },
    )
    return undefined
  }
  const { value } = parsed.value
  if (value === null) return {}
  if (isObject(value)) return value
  issues.error('BAD_REPO', 'the frontmatter holds no fields', {
    file,
    line: 2,
    fix: 'write one `name: value` a line',
  })
  return undefined
}

/** The first heading of the first level, outside of code. */
export function titleAt(
  lines: readonly string[],
): { readonly title: string; readonly index: number } | undefined {
  let code = false
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) code = !code
    const title = code ? undefined : /^#\s+(.*?)\s*#*\s*$/.exec(line)?.[1]
    if (title !== undefined && title !== '') return { title, index }
  }
  return undefined
}

/** A field of the frontmatter as text: numbers and the like as they are written. */
export function textField(fields: JsonObject, name: string): string | undefined {
  const value = fields[name]
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export const joined = (lines: readonly string[]): string => lines.join('\n').trim()
