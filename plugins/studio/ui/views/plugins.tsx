import type { Inspection } from '@amodal/sdk'
import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { graphOf, type Graph } from '../model/graph.ts'
import type { Server } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { PluginGraph } from '../parts/plugin-graph.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { AGENT_STRINGS } from './agent-strings.ts'
import { useReport } from './use-report.ts'
import '../styles/places.css'

const TEXT = AGENT_STRINGS.plugins

/** The plugins that this agent is made of, and what each needs of the others. */
export function Plugins({ server }: { readonly server: Server }): ReactNode {
  const { value: wiring, problem } = useReport(useCallback(() => server.wiring(), [server]))
  return (
    <section className="view wide" aria-labelledby="plugins-title">
      <header className="view-head">
        <h2 id="plugins-title">{TEXT.title}</h2>
        {wiring && (
          <span className="muted">
            {TEXT.counts(
              wiring.plugins.length,
              wiring.slots.length,
              wiring.hooks.filter(({ taps }) => taps.length > 0).length,
            )}
          </span>
        )}
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!wiring && problem === undefined && <Skeleton />}
      {wiring?.warnings.map((warning) => (
        <p key={warning} className="note warning">
          {warning}
        </p>
      ))}
      {wiring && <Wiring wiring={wiring} />}
    </section>
  )
}

/** The list, the graph and the details of what is chosen in either. */
function Wiring({ wiring }: { readonly wiring: Inspection }): ReactNode {
  const [chosen, setChosen] = useState<string>()
  const [search, setSearch] = useState('')
  const graph = useMemo(() => graphOf(wiring), [wiring])
  const needle = search.trim().toLowerCase()
  const names = useMemo(
    () =>
      wiring.plugins
        .map(({ name }) => name)
        .filter((name) => name.toLowerCase().includes(needle))
        .toSorted((a, b) => a.localeCompare(b)),
    [wiring, needle],
  )
  const found = useMemo(() => (needle === '' ? undefined : new Set(names)), [needle, names])
  return (
    <div className="plugins-view" data-chosen={chosen !== undefined}>
      <div className="plugins-list">
        <label className="search">
          <span className="sr">{TEXT.search}</span>
          <Icon name="search" />
          <input
            type="search"
            placeholder={TEXT.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        {names.length === 0 && <p className="muted">{TEXT.none}</p>}
        <ul aria-label={TEXT.title}>
          {names.map((name) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={name === chosen}
                onClick={() => setChosen(name === chosen ? undefined : name)}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <PluginGraph {...{ graph, chosen, found }} onChoose={setChosen} />
      {chosen !== undefined && <Details {...{ wiring, graph }} name={chosen} />}
    </div>
  )
}

function Details({
  wiring,
  graph,
  name,
}: {
  readonly wiring: Inspection
  readonly graph: Graph
  readonly name: string
}): ReactNode {
  const plugin = wiring.plugins.find((one) => one.name === name)
  if (!plugin) return null
  const provides = wiring.slots.filter(({ provider }) => provider === name).map(({ id }) => id)
  const needs = graph.edges.filter(({ to }) => to === name)
  const needed = graph.edges.filter(({ from }) => from === name)
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
      <p>
        {TEXT.more} <code>{`amodal plugins why ${plugin.name}`}</code>
      </p>
      <Group title="Provides" rows={provides} />
      <Group
        title="Needs"
        rows={needs.map(({ from, reasons }) => `${from} (${reasons.join(', ')})`)}
      />
      <Group title="Needed by" rows={needed.map(({ to }) => to)} />
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
