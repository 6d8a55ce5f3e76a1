import type { Inspection } from '@amodal/sdk'
import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { graphOf, NODE, type Edge, type Graph } from '../model/graph.ts'
import type { Server } from '../model/server.ts'
import { useReport } from './use-report.ts'

/** The plugins that this agent is made of, and what each needs of the others. */
export function Plugins({ server }: { readonly server: Server }): ReactNode {
  const { value: wiring, problem } = useReport(useCallback(() => server.wiring(), [server]))
  const [chosen, setChosen] = useState<string>()
  const graph = useMemo(() => wiring && graphOf(wiring), [wiring])
  return (
    <section className="view wide" aria-labelledby="plugins-title">
      <header className="view-head">
        <h2 id="plugins-title">Plugins</h2>
        {wiring && (
          <span className="muted">
            {wiring.plugins.length} plugins, {wiring.slots.length} slots,{' '}
            {wiring.hooks.filter(({ taps }) => taps.length > 0).length} hooks in use
          </span>
        )}
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {wiring?.warnings.map((warning) => (
        <p key={warning} className="note warning">
          {warning}
        </p>
      ))}
      {wiring && graph && (
        <div className="wiring">
          <Drawing graph={graph} chosen={chosen} onChoose={setChosen} />
          <Details wiring={wiring} graph={graph} name={chosen} />
        </div>
      )}
    </section>
  )
}

const NEAR = (edge: Edge, name: string | undefined): boolean =>
  edge.from.name === name || edge.to.name === name

interface DrawingProps {
  readonly graph: Graph
  readonly chosen: string | undefined
  readonly onChoose: (name: string | undefined) => void
}

function Drawing({
  graph: { nodes, edges, width, height },
  chosen,
  onChoose,
}: DrawingProps): ReactNode {
  const near = new Set(
    edges.filter((edge) => NEAR(edge, chosen)).flatMap(({ from, to }) => [from.name, to.name]),
  )
  const nearClass = (name: string): string => (near.has(name) ? ' near' : '')
  return (
    <div className="scroll drawing" data-chosen={chosen !== undefined}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Plugins and what they need"
      >
        {edges.map((edge) => (
          <path
            key={`${edge.from.name} ${edge.to.name}`}
            className={`edge${edge.firm ? '' : ' loose'}${NEAR(edge, chosen) ? ' near' : ''}`}
            d={curve(edge)}
          >
            <title>{`${edge.to.name} ← ${edge.from.name}: ${edge.reasons.join(', ')}`}</title>
          </path>
        ))}
        {nodes.map(({ name, x, y, plugin }) => (
          <g
            key={name}
            className={`node ${plugin.state}${name === chosen ? ' chosen' : nearClass(name)}`}
            transform={`translate(${x} ${y})`}
            role="button"
            tabIndex={0}
            aria-pressed={name === chosen}
            aria-label={name}
            onClick={() => onChoose(name === chosen ? undefined : name)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault()
                onChoose(name === chosen ? undefined : name)
              }
            }}
          >
            <rect width={NODE.width} height={NODE.height} rx="8" />
            <text x="12" y="18.5">
              {name}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}

function curve({ from, to }: Edge): string {
  const [x1, y1, x2, y2] = [
    from.x + NODE.width,
    from.y + NODE.height / 2,
    to.x,
    to.y + NODE.height / 2,
  ]
  const bend = Math.max(24, Math.abs(x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

function Details({
  wiring,
  graph,
  name,
}: {
  readonly wiring: Inspection
  readonly graph: Graph
  readonly name: string | undefined
}): ReactNode {
  const plugin = wiring.plugins.find((one) => one.name === name)
  if (!plugin)
    return (
      <aside className="details muted" aria-live="polite">
        Choose a plugin to see what it gives, what it needs, and where it acts.
      </aside>
    )
  const provides = wiring.slots.filter(({ provider }) => provider === name).map(({ id }) => id)
  const needs = graph.edges.filter(({ to }) => to.name === name)
  const needed = graph.edges.filter(({ from }) => from.name === name)
  const hooks = wiring.hooks.flatMap((hook) =>
    hook.taps.filter((tap) => tap.plugin === name).map((tap) => ({ ...tap, hook: hook.name })),
  )
  return (
    <aside className="details" aria-live="polite">
      <h3>
        {plugin.name} <span className="muted">{plugin.version}</span>
      </h3>
      <p className="muted">
        {plugin.why} · ready in {plugin.setupMs.toFixed(1)} ms
        {plugin.state !== 'running' && ` · ${plugin.state}`}
      </p>
      <Group title="Provides" rows={provides} />
      <Group
        title="Needs"
        rows={needs.map(({ from, reasons }) => `${from.name} (${reasons.join(', ')})`)}
      />
      <Group title="Needed by" rows={needed.map(({ to }) => to.name)} />
      <Group
        title="Acts at"
        rows={hooks.map(
          ({ hook, stage, calls, ms }) => `${hook} · ${stage} · ${calls}×, ${ms.toFixed(1)} ms`,
        )}
      />
      {Object.keys(plugin.config as object).length > 0 && (
        <>
          <h4>Config</h4>
          <pre tabIndex={0}>{JSON.stringify(plugin.config, undefined, 2)}</pre>
        </>
      )}
    </aside>
  )
}

function Group({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly string[]
}): ReactNode {
  return rows.length === 0 ? null : (
    <>
      <h4>{title}</h4>
      <ul>
        {rows.map((row) => (
          <li key={row}>{row}</li>
        ))}
      </ul>
    </>
  )
}
