import type { Inspection } from './inspection.ts'

/**
 * The plugins of a kernel as a Mermaid graph: an arrow leads from what is needed to what needs it.
 *
 * @example
 * await writeFile('plugins.mmd', toMermaid(inspectionOf(kernel)))
 * @see https://mermaid.js.org/syntax/flowchart.html
 */
export function toMermaid({ plugins, edges }: Inspection): string {
  const ids = new Map(plugins.map(({ name }, index) => [name, `p${index}`]))
  const nodes = plugins.map(({ name, version }) => `  ${ids.get(name)}["${name} ${version}"]`)
  // Two plugins may be joined for several reasons: one arrow, all reasons.
  const reasons = new Map<string, Set<string>>()
  const hard = new Set<string>()
  for (const { from, to, kind, reason } of edges) {
    const arrow = `${ids.get(from)} ${ids.get(to)}`
    reasons.set(arrow, (reasons.get(arrow) ?? new Set()).add(reason))
    if (kind === 'needs' || kind === 'wraps') hard.add(arrow)
  }
  const arrows = [...reasons].map(([arrow, why]) => {
    const [from, to] = arrow.split(' ')
    return `  ${from} ${hard.has(arrow) ? '-->' : '-.->'}|"${[...why].join('<br/>')}"| ${to}`
  })
  return ['graph LR', ...nodes, ...arrows].join('\n')
}
