import { structuredPatch } from 'diff'
import { isObject, redact, type Json, type JsonObject } from '@amodal/sdk'
import { withoutControls } from '@amodal/sdk/data'
import type { Layout } from '../markdown/layout.ts'
import { wrap } from '../markdown/wrap.ts'
import type { Look } from '../paint.ts'

/** Unchanged lines around a change. */
const CONTEXT = 3

/** Names of two arguments of which the second one replaces the first one. */
const PAIRS: readonly (readonly [before: string, after: string])[] = [
  ['old_string', 'new_string'],
  ['old_text', 'new_text'],
  ['before', 'after'],
  ['old', 'new'],
  ['previous', 'next'],
  ['current', 'proposed'],
]
/** Names of arguments that are a difference already. */
const PATCHES: readonly string[] = ['diff', 'patch']

/**
 * The arguments of a call, in full: a line for each name, and a difference line by line where an
 * argument replaces another one.
 */
export function valueLines(value: Json, layout: Layout): readonly string[] {
  const shown = redact(value)
  if (!isObject(shown)) return textLines(textOf(shown), layout)
  const pair = PAIRS.find(([before, after]) => before in shown && after in shown)
  const replaced = pair ? diffLines(shown[pair[0]] ?? '', shown[pair[1]] ?? '', layout) : []
  const fields = Object.entries(shown).filter(([name]) => pair?.includes(name) !== true)
  return [...fields.flatMap(([name, field]) => fieldLines(name, field, layout)), ...replaced]
}

function fieldLines(name: string, value: Json, layout: Layout): readonly string[] {
  const label = withoutControls(name)
  if (PATCHES.includes(name) && typeof value === 'string')
    return [layout.paint(`${label}:`, 'dim'), ...patchLines(withoutControls(value), layout)]
  if (isObject(value) && PAIRS.some(([before, after]) => before in value && after in value))
    return [layout.paint(`${label}:`, 'dim'), ...valueLines(value, layout)]
  const text = textOf(value)
  return text.includes('\n')
    ? [layout.paint(`${label}:`, 'dim'), ...textLines(text, layout, '  ')]
    : textLines(`${label}: ${text}`, layout)
}

const textOf = (value: Json): string =>
  withoutControls(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))

/** The lines that differ between two values, with some unchanged ones around them. */
export function diffLines(before: Json, after: Json, layout: Layout): readonly string[] {
  const { hunks } = structuredPatch('', '', textOf(before), textOf(after), undefined, undefined, {
    context: CONTEXT,
  })
  return hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : [layout.paint('  …', 'dim')]),
    ...patchLines(lines.filter((line) => !line.startsWith('\\')).join('\n'), layout),
  ])
}

function patchLines(patch: string, layout: Layout): readonly string[] {
  return patch.split('\n').flatMap((line) => lookedLines(line, patchLooks(line), layout))
}

function patchLooks(line: string): readonly Look[] {
  if (line.startsWith('+')) return ['good']
  return line.startsWith('-') ? ['bad'] : ['dim']
}

const textLines = (text: string, layout: Layout, indent = ''): readonly string[] =>
  text.split('\n').flatMap((line) => lookedLines(indent + line, [], layout))

function lookedLines(
  line: string,
  looks: readonly Look[],
  { columns, paint }: Layout,
): readonly string[] {
  // indentation is part of it
  const text = line
    .replaceAll('\t', '    ')
    .replace(/^ +/, (spaces) => '\u00a0'.repeat(spaces.length))
  return wrap([{ text, looks, at: undefined }], columns, paint).map((one) =>
    one.text.replaceAll('\u00a0', ' '),
  )
}

/** A value in one line. */
export const shortValue = (value: Json | JsonObject): string =>
  withoutControls(JSON.stringify(redact(value))).replaceAll('\n', ' ')
