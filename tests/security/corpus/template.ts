import { fillers } from './fillers.ts'
import { findings, type Kind } from './findings.ts'
import type { Random } from './random.ts'

export interface Label {
  readonly kind: Kind
  readonly value: string
}
export interface Filled {
  readonly text: string
  readonly labels: readonly Label[]
}

/**
 * Fills every `{word}` of a template: from `own` first, then with a finding, which is labelled, or
 * a filler, which is not.
 */
export function fill(
  template: string,
  random: Random,
  own: Readonly<Record<string, () => string>> = {},
): Filled {
  const labels: Label[] = []
  const text = template.replace(/\{([a-z]\w*)\}/g, (_, name: string) => {
    const given = own[name] ?? fillers[name]
    if (given !== undefined) return given(random)
    const finding = findings[name]
    if (finding === undefined) throw new Error(`nothing fills {${name}} in: ${template}`)
    const value = finding.make(random)
    labels.push({ kind: finding.kind, value })
    return value
  })
  return { text, labels }
}

/**
 * Fills the templates in turn, until `count` different texts stand. Every tenth template is told
 * apart as unseen.
 */
export function fillAll<T extends { readonly text: string }>(
  templates: readonly string[],
  count: number,
  make: (template: string) => T,
): readonly (T & { readonly unseen: boolean })[] {
  const made = new Map<string, T & { readonly unseen: boolean }>()
  for (let turn = 0; made.size < count; turn++) {
    if (turn > 50 * count) throw new Error('the templates cannot give so many different texts')
    const index = turn % templates.length
    const line = make(templates[index] ?? '')
    if (!made.has(line.text)) made.set(line.text, { ...line, unseen: index % 10 === 7 })
  }
  return [...made.values()]
}
