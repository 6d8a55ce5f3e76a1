import type { AccessRule, AccessTier } from '@amodal/sdk'
import { parseTemplate, type Part, type Template } from '@amodal/sdk/connections'

/** How two rules lie to each other: which requests of the first one the second one covers. */
export type Overlap = 'all' | 'some' | 'none'

const isNamed = (method: string): boolean => ['QUERY', 'MUTATION', 'CALL'].includes(method)
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

/** Which requests of a rule another rule may be asked for, too. In doubt it is some of them. */
export function overlapOf(rule: AccessRule, other: AccessRule): Overlap {
  const methods = methodOverlap(rule.method, other.method)
  if (methods === 'none') return 'none'
  const paths =
    isNamed(rule.method) || isNamed(other.method)
      ? nameOverlap(rule, other)
      : templateOverlap(rule.path, other.path)
  if (paths === 'none') return 'none'
  return methods === 'all' && paths === 'all' ? 'all' : 'some'
}

function methodOverlap(method: string, other: string): Overlap {
  if (method === other || other === '*') return 'all'
  if (method === '*') return 'some'
  // A HEAD request without a rule of its own is judged as a GET.
  if (method === 'HEAD' && other === 'GET') return 'all'
  return method === 'GET' && other === 'HEAD' ? 'some' : 'none'
}

/** Names of fields and tools, in which `*` is any run of characters. */
function nameOverlap(rule: AccessRule, other: AccessRule): Overlap {
  if (rule.path.toLowerCase() === other.path.toLowerCase() || other.path === '*') return 'all'
  return [rule, other].some(({ method, path }) => path.includes('*') || !isNamed(method))
    ? 'some'
    : 'none'
}

function templateOverlap(path: string, otherPath: string): Overlap {
  const [template, other] = [parseTemplate(path), parseTemplate(otherPath)]
  if (!template.ok || !other.ok) return 'some'
  if (covers(other.value, template.value)) return 'all'
  const pairs = [
    ...withoutBeginnings(template.value).map((one) => [one, other.value] as const),
    ...withoutBeginnings(other.value).map((one) => [template.value, one] as const),
  ]
  return pairs.some(([one, second]) => !isDisjoint(one, second)) ? 'some' : 'none'
}

/**
 * A template, and the same without each of its beginnings: a rule may hold the path of the
 * connection's address or not, and two rules may differ in that.
 */
function withoutBeginnings(template: Template): readonly Template[] {
  const rest = template.findIndex(({ kind }) => kind === 'rest')
  const count = rest === -1 ? template.length : rest + 1
  return Array.from({ length: Math.max(1, count) }, (_, at) => template.slice(at))
}

/** Whether every path of the second template is one of the first. */
function covers(template: Template, other: Template): boolean {
  if (template.length === 1 && template[0]?.kind === 'rest') return true
  return (
    template.length === other.length && template.every((part, at) => coversPart(part, other[at]))
  )
}

function coversPart(part: Part, other: Part | undefined): boolean {
  if (part.kind === 'literal') return other?.kind === 'literal' && part.text === other.text
  if (part.kind === 'rest') return other?.kind === 'rest'
  if (other?.kind === 'literal') return part.before + part.after === ''
  return other?.kind === 'parameter' && part.before + part.after === ''
    ? true
    : other?.kind === 'parameter' && part.before === other.before && part.after === other.after
}

/** Whether no path fits both, as far as literals at the same place say so. */
function isDisjoint(template: Template, other: Template): boolean {
  const rest = [template, other].some((one) => one.some(({ kind }) => kind === 'rest'))
  if (!rest && template.length !== other.length) return true
  for (let at = 0; at < Math.min(template.length, other.length); at++) {
    const [part, second] = [template[at], other[at]]
    if (part?.kind === 'rest' || second?.kind === 'rest') return false
    if (part?.kind !== 'literal' || second?.kind !== 'literal') continue
    const isNumber = /^\d+$/.test(part.text) && /^\d+$/.test(second.text)
    // Servers read `007` as 7, so numbers are compared by value.
    if (isNumber ? Number(part.text) !== Number(second.text) : part.text !== second.text)
      return true
  }
  return false
}

const ORDER: readonly AccessTier[] = ['allow', 'confirm', 'review', 'never']

/** The strictest of some tiers. */
export const strictest = (tiers: readonly AccessTier[]): AccessTier =>
  ORDER[Math.max(0, ...tiers.map((tier) => ORDER.indexOf(tier)))] ?? 'never'

/** The kinds of the requests that a method has. */
export function kindsOf(method: string): readonly ('read' | 'write')[] {
  if (method === '*' || method === 'CALL') return ['read', 'write']
  return READS.has(method) ? ['read'] : ['write']
}
