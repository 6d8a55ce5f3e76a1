import type { Inspection } from '@amodal/sdk'

type Plugin = Inspection['plugins'][number]

/** Where a plugin stands in the drawing, in px. */
export interface Node {
  readonly name: string
  readonly plugin: Plugin
  readonly x: number
  readonly y: number
}
export interface Edge {
  readonly from: Node
  readonly to: Node
  readonly firm: boolean
  readonly reasons: readonly string[]
}
export interface Graph {
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
  readonly width: number
  readonly height: number
}

export const NODE = { width: 176, height: 28 } as const
const COLUMN = 240
const ROW = 38
const MARGIN = 12

/** The plugins in columns: each stands to the right of what it needs. */
export function graphOf({ plugins, edges }: Inspection): Graph {
  const joined = new Map<
    string,
    { readonly from: string; readonly to: string; readonly reasons: Set<string>; firm: boolean }
  >()
  for (const { from, to, kind, reason } of edges) {
    const edge = joined.get(`${from}\n${to}`) ?? {
      from,
      to,
      reasons: new Set<string>(),
      firm: false,
    }
    edge.reasons.add(reason)
    edge.firm ||= kind === 'needs' || kind === 'wraps'
    joined.set(`${from}\n${to}`, edge)
  }
  const all = [...joined.values()]
  const isJoined = new Set(all.flatMap(({ from, to }) => [from, to]))
  const columns = columnsOf(
    plugins.filter(({ name }) => isJoined.has(name)),
    all,
  )
  const nodes = new Map<string, Node>()
  const put = (plugin: Plugin, column: number, row: number): void => {
    nodes.set(plugin.name, {
      name: plugin.name,
      plugin,
      x: MARGIN + column * COLUMN,
      y: MARGIN + row * ROW,
    })
  }
  // Beside what they need, so that lines are short; then by name.
  const middle = (name: string): number => {
    const needed = all.flatMap(({ from, to }) => (to === name ? (nodes.get(from)?.y ?? []) : []))
    return needed.length === 0 ? 0 : needed.reduce((sum, y) => sum + y, 0) / needed.length
  }
  for (const [column, members] of columns.entries()) {
    members
      .toSorted((a, b) => middle(a.name) - middle(b.name) || a.name.localeCompare(b.name))
      .forEach((plugin, row) => put(plugin, column, row))
  }
  // Those that need nobody and that nobody needs stand below the others.
  const below = Math.max(0, ...columns.map(({ length }) => length)) + 0.5
  const alone = plugins
    .filter(({ name }) => !isJoined.has(name))
    .toSorted((a, b) => a.name.localeCompare(b.name))
  const across = Math.max(4, columns.length)
  alone.forEach((plugin, at) => put(plugin, at % across, below + Math.floor(at / across)))
  const placed = [...nodes.values()]
  return {
    nodes: placed,
    edges: all.flatMap(({ from, to, reasons, firm }) => {
      const [a, b] = [nodes.get(from), nodes.get(to)]
      return a && b ? [{ from: a, to: b, firm, reasons: [...reasons] }] : []
    }),
    width: Math.max(0, ...placed.map(({ x }) => x)) + NODE.width + MARGIN,
    height: Math.max(0, ...placed.map(({ y }) => y)) + NODE.height + MARGIN,
  }
}

/**
 * By the longest way to somebody who needs nobody. Some may do without each other, so there may be
 * circles: one that comes back counts nothing.
 */
function columnsOf(
  plugins: readonly Plugin[],
  edges: readonly { readonly from: string; readonly to: string }[],
): readonly (readonly Plugin[])[] {
  const depths = new Map<string, number>()
  const depthOf = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    depths.set(name, 0)
    const depth = Math.max(
      0,
      ...edges.filter(({ to }) => to === name).map(({ from }) => depthOf(from) + 1),
    )
    depths.set(name, depth)
    return depth
  }
  const columns: Plugin[][] = []
  for (const plugin of plugins) (columns[depthOf(plugin.name)] ??= []).push(plugin)
  return Array.from(columns, (column) => column ?? [])
}
