import { err, ok, type Result } from '@amodal/kernel'
import { nameKey } from '../field-name.ts'
import { decodedOnce, plain } from './path-segments.ts'

/** A part of a template. A parameter may have fixed text around it: `{id}.json`. */
export type Part =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'parameter'
      readonly name: string
      readonly before: string
      readonly after: string
    }
  /** `**`: any number of segments, none among them. */
  | { readonly kind: 'rest' }

export type Template = readonly Part[]

/** Values of parameters by their names in small letters. */
export type Parameters = ReadonlyMap<string, string>

const NAME = /^[\w.-]*$/

/**
 * Parses the path of a rule. `{x}` matches exactly one segment, or part of a segment with fixed
 * text around it; `*` is the same without a name; `**` matches any number of segments, at any
 * position, once per template.
 *
 * @returns the template, or what is wrong with it: one that never matches would protect nothing
 * @example parseTemplate('/repos/{owner}/{repo}/contents/**')
 */
export function parseTemplate(path: string): Result<Template, string> {
  const parts: Part[] = []
  if (/[?#]/.test(path))
    return err('a rule names a path: use a threshold on query. for a parameter')
  for (const raw of path.split('/')) {
    if (raw === '' || raw === '.') continue
    if (raw === '..') {
      if (parts.pop() === undefined) return err('it leads above the root')
      continue
    }
    const part = parsePart(raw)
    if (!part.ok) return part
    parts.push(part.value)
  }
  return parts.filter(({ kind }) => kind === 'rest').length > 1
    ? err('`**` may stand in it once')
    : ok(parts)
}

function parsePart(raw: string): Result<Part, string> {
  if (raw === '**') return ok({ kind: 'rest' })
  if (raw === '*') return ok({ kind: 'parameter', name: '', before: '', after: '' })
  const [, before = raw, name, after = ''] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(raw) ?? []
  const problem = problemOf(raw, name)
  if (problem !== undefined) return err(`"${raw}": ${problem}`)
  const [text, end] = [decodedOnce(before), decodedOnce(after)]
  if (text === undefined || end === undefined) return err(`"${raw}" is no percent-encoded UTF-8`)
  return ok(
    name === undefined
      ? { kind: 'literal', text: plain(text) }
      : { kind: 'parameter', name: nameKey(name), before: plain(text), after: plain(end) },
  )
}

/** What is wrong with a segment. */
function problemOf(raw: string, name: string | undefined): string | undefined {
  if (raw.includes('*')) return 'a star stands alone between slashes'
  if (/^[:<[]/.test(raw)) return 'write a parameter as {name}'
  if (raw.includes(';')) return 'parameters behind ; are not compared'
  if (name === undefined && /[{}]/.test(raw)) return 'one parameter, as {name}, in a segment'
  return name !== undefined && !NAME.test(name)
    ? 'a name of letters, digits, _, . and -; any rest is **'
    : undefined
}

/**
 * Compares a template with segments.
 *
 * @param numeric `007` and `7.0` are the literal `7`, as they are for servers that read numbers
 * @returns the values of its parameters, or `undefined`
 */
export function matchTemplate(
  template: Template,
  segments: readonly string[],
  numeric: boolean,
): Parameters | undefined {
  const rest = template.findIndex(({ kind }) => kind === 'rest')
  if (rest === -1)
    return template.length === segments.length ? matchParts(template, segments, numeric) : undefined
  const behind = template.slice(rest + 1)
  if (segments.length < template.length - 1) return undefined
  const head = matchParts(template.slice(0, rest), segments.slice(0, rest), numeric)
  const tail = matchParts(behind, segments.slice(segments.length - behind.length), numeric)
  return head && tail && new Map([...head, ...tail])
}

function matchParts(
  parts: readonly Part[],
  segments: readonly string[],
  numeric: boolean,
): Parameters | undefined {
  const values = new Map<string, string>()
  for (const [at, part] of parts.entries()) {
    const segment = segments[at] ?? ''
    if (part.kind === 'literal') {
      if (segment !== part.text && !(numeric && isSameNumber(segment, part.text))) return undefined
    } else if (part.kind === 'parameter') {
      const { before, after, name } = part
      if (
        segment.length <= before.length + after.length ||
        !segment.startsWith(before) ||
        !segment.endsWith(after)
      )
        return undefined
      values.set(name, segment.slice(before.length, segment.length - after.length))
    }
  }
  return values
}

const isSameNumber = (segment: string, literal: string): boolean =>
  /^\d+$/.test(literal) && segment.trim() !== '' && Number(segment) === Number(literal)

/** Whether a template begins with these segments; what is left of it then. */
export function withoutBase(template: Template, base: readonly string[]): Template | undefined {
  if (
    base.length === 0 ||
    template.length < base.length ||
    template.slice(0, base.length).some(({ kind }) => kind === 'rest')
  )
    return undefined
  return matchParts(template.slice(0, base.length), base, false) && template.slice(base.length)
}

const RANKS: Readonly<Record<Part['kind'], number>> = { literal: 3, parameter: 1, rest: 0 }
/** A template that has ended is nearer than one that goes on with any rest. */
const END = 4

/**
 * Positive where the first is the more specific: from the left, a literal before a parameter before
 * any rest.
 */
export function compareTemplates(one: Template, other: Template): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const distance = rankOf(one[at]) - rankOf(other[at])
    if (distance !== 0) return distance
  }
  return 0
}

function rankOf(part: Part | undefined): number {
  if (part === undefined) return END
  return part.kind === 'parameter' && part.before + part.after !== '' ? 2 : RANKS[part.kind]
}
