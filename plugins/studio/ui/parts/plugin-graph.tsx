import {
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  type Edge as FlowEdge,
  type Node as FlowNode,
  type NodeProps,
} from '@xyflow/react'
import { useEffect, useMemo, type ReactNode } from 'react'
import { NODE, type Graph } from '../model/graph.ts'
import { AGENT_STRINGS } from '../views/agent-strings.ts'
import '@xyflow/react/dist/base.css'
import '../styles/plugin-graph.css'

const TEXT = AGENT_STRINGS.plugins

export interface PluginGraphProps {
  readonly graph: Graph
  readonly chosen: string | undefined
  /** Those that a search finds; `undefined`: nothing is searched for. */
  readonly found: ReadonlySet<string> | undefined
  readonly onChoose: (name: string | undefined) => void
}

/**
 * The plugins as a graph to zoom and to move. The list beside it has the same plugins for the
 * keyboard and for screen readers.
 */
export function PluginGraph(props: PluginGraphProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  )
}

type PluginNode = FlowNode<{ readonly name: string; readonly className: string }, 'plugin'>

/** What a connection between nodes is drawn from; nothing is connected by hand. */
function PluginBox({ data: { className, name } }: NodeProps<PluginNode>): ReactNode {
  return (
    <div className={`plugin-node ${className}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {name}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
}

const NODE_TYPES = { plugin: PluginBox }
const FIT = { padding: 0.06, duration: 0 } as const

function Drawing({ graph, chosen, found, onChoose }: PluginGraphProps): ReactNode {
  const { fitView, setCenter, zoomIn, zoomOut } = useReactFlow()
  const { nodes, edges } = useMemo(() => drawnOf(graph, chosen, found), [graph, chosen, found])
  // The details of what is chosen take room from the drawing.
  const width = useStore((flow) => flow.width)
  const place = graph.nodes.find(({ name }) => name === chosen)
  useEffect(() => {
    if (place)
      void setCenter(place.x + NODE.width / 2, place.y + NODE.height / 2, {
        zoom: 1,
        duration: 0,
      })
  }, [place, setCenter, width])
  return (
    <div className="plugin-graph" role="group" aria-label={TEXT.graph}>
      <div className="plugin-graph-tools">
        <button type="button" aria-label={TEXT.zoomIn} onClick={() => void zoomIn()}>
          +
        </button>
        <button type="button" aria-label={TEXT.zoomOut} onClick={() => void zoomOut()}>
          −
        </button>
        <button type="button" onClick={() => void fitView(FIT)}>
          {TEXT.fit}
        </button>
        {chosen === undefined && <span className="muted">{TEXT.pick}</span>}
      </div>
      <div className="plugin-graph-canvas">
        <ReactFlow
          nodes={[...nodes]}
          edges={[...edges]}
          nodeTypes={NODE_TYPES}
          fitView
          fitViewOptions={FIT}
          minZoom={0.1}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          proOptions={{ hideAttribution: true }}
          onNodeClick={(_, { id }) => onChoose(id === chosen ? undefined : id)}
          onPaneClick={() => onChoose(undefined)}
        />
      </div>
    </div>
  )
}

function drawnOf(
  graph: Graph,
  chosen: string | undefined,
  found: ReadonlySet<string> | undefined,
): { readonly nodes: readonly PluginNode[]; readonly edges: readonly FlowEdge[] } {
  const isNear = ({ from, to }: { readonly from: string; readonly to: string }): boolean =>
    from === chosen || to === chosen
  const near = new Set(graph.edges.filter(isNear).flatMap(({ from, to }) => [from, to]))
  const classOf = (name: string, state: string): string =>
    [
      state,
      name === chosen ? 'chosen' : '',
      near.has(name) ? 'near' : '',
      found?.has(name) === true ? 'found' : '',
      isDim(name) ? 'dim' : '',
    ]
      .filter(Boolean)
      .join(' ')
  const isDim = (name: string): boolean =>
    found ? !found.has(name) : chosen !== undefined && name !== chosen && !near.has(name)
  return {
    nodes: graph.nodes.map(({ name, plugin, x, y }) => ({
      id: name,
      type: 'plugin',
      position: { x, y },
      width: NODE.width,
      height: NODE.height,
      data: { name, className: classOf(name, plugin.state) },
    })),
    edges: graph.edges.map((edge) => ({
      id: `${edge.from} ${edge.to}`,
      source: edge.from,
      target: edge.to,
      className: [
        edge.firm ? '' : 'loose',
        isNear(edge) ? 'near' : '',
        (chosen !== undefined && !isNear(edge)) || found ? 'dim' : '',
      ]
        .filter(Boolean)
        .join(' '),
    })),
  }
}
