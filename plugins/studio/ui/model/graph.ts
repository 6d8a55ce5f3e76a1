import type { Inspection } from '@amodal/sdk'
import * as dagre from '@dagrejs/dagre'

type Plugin = Inspection['plugins'][number]

/** What is used of the library: its types import files in a way that is not resolved here. */
interface Layout {
  readonly Graph: new () => {
    setGraph(options: Readonly<Record<string, string | number>>): void
    setDefaultEdgeLabel(label: () => object): void
    setNode(name: string, size: { readonly width: number; readonly height: number }): void
    setEdge(from: string, to: string): void
    node(name: string): { readonly x?: number; readonly y?: number }
  }
  readonly layout: (graph: InstanceType<Layout['Graph']>) => void
}
const { Graph: LayoutGraph, layout } = dagre as unknown as Layout // of version 3

/** Where a plugin stands in the drawing, in px. */
export interface Node {
  readonly name: string
  readonly plugin: Plugin
  readonly x: number
  readonly y: number
}
/** `to` needs `from`. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** It needs or wraps it; otherwise it may do without. */
  readonly firm: boolean
  readonly reasons: readonly string[]
}
export interface Graph {
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
}

export const NODE = { width: 150, height: 28 } as const
const GAP = 16
/** Plugins that are joined to no other stand below, in rows of this many. */
const ACROSS = 9

/** The plugins in columns: each stands to the right of what it needs. */
export function graphOf({ plugins, edges }: Inspection): Graph {
  const joined = joinedEdges(edges)
  const isJoined = new Set(joined.flatMap(({ from, to }) => [from, to]))
  const known = new Set(plugins.map(({ name }) => name))
  const drawn = joined.filter(({ from, to }) => known.has(from) && known.has(to))
  const graph = new LayoutGraph()
  graph.setGraph({ rankdir: 'LR', ranksep: 56, nodesep: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { name } of plugins)
    if (isJoined.has(name)) graph.setNode(name, { width: NODE.width, height: NODE.height })
  for (const { from, to } of drawn) graph.setEdge(from, to)
  layout(graph)
  const placed = plugins
    .filter(({ name }) => isJoined.has(name))
    .map((plugin): Node => {
      const { x = 0, y = 0 } = graph.node(plugin.name)
      return {
        name: plugin.name,
        plugin,
        x: x - NODE.width / 2,
        y: y - NODE.height / 2,
      }
    })
  const below = Math.max(0, ...placed.map(({ y }) => y + NODE.height)) + 2 * GAP
  const alone = plugins
    .filter(({ name }) => !isJoined.has(name))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((plugin, at) => ({
      name: plugin.name,
      plugin,
      x: (at % ACROSS) * (NODE.width + GAP),
      y: below + Math.floor(at / ACROSS) * (NODE.height + GAP),
    }))
  return { nodes: [...placed, ...alone], edges: drawn }
}

/** One edge for each pair, with all reasons. */
function joinedEdges(edges: Inspection['edges']): readonly Edge[] {
  const pairs = Map.groupBy(edges, ({ from, to }) => `${from}\n${to}`)
  return [...pairs.values()].flatMap((same) => {
    const [first] = same
    return first
      ? [
          {
            from: first.from,
            to: first.to,
            firm: same.some(({ kind }) => kind === 'needs' || kind === 'wraps'),
            reasons: [...new Set(same.map(({ reason }) => reason))],
          },
        ]
      : []
  })
}
