import { useCallback, useEffect, type ReactNode } from 'react'
import type { FileDiff } from '../../src/file-diff.ts'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { Server, WidgetView } from '../model/server.ts'
import { Diff } from '../parts/diff.tsx'
import { Records } from '../parts/record-list.tsx'
import { Widget } from '../parts/widget.tsx'
import { useReport } from './use-report.ts'

/** A view of another plugin: the widgets that its route answers with. */
export function More({
  server,
  view,
  query,
  live: { events },
}: {
  readonly server: Server
  readonly view: WidgetView
  /** Of its route; none for the whole of it. */
  readonly query: string
  readonly live: Live
}): ReactNode {
  const ask = useCallback(() => server.shown(view, query), [server, view, query])
  const { value, problem, refresh } = useReport(ask)
  const news = events.find(({ type }) => view.refreshOn.includes(type))?.seq
  useEffect(() => {
    if (news !== undefined) refresh()
  }, [news])
  return (
    <section className="view wide" aria-labelledby="more-title">
      <header className="view-head">
        <h2 id="more-title">{view.title}</h2>
        {query !== '' && (
          <a href={addressOf({ view: 'more', key: view.key, query: '' })}>Back to all</a>
        )}
        <button type="button" className="quiet" onClick={refresh}>
          Refresh
        </button>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {value?.widgets.length === 0 && <p className="muted hint">There is nothing to show.</p>}
      {value?.widgets.map(({ widget_type, data }, at) => {
        switch (widget_type) {
          case 'record-list':
            return (
              <Records
                key={at}
                data={data}
                view={view.key}
                act={(action) => server.act(action)}
                onActed={refresh}
              />
            )
          case 'file-diff':
            return <FileChanges key={at} file={data as unknown as FileDiff} />
          default:
            return <Widget key={at} type={widget_type} data={data} />
        }
      })}
    </section>
  )
}

function FileChanges({ file: { path, hunks, note } }: { readonly file: FileDiff }): ReactNode {
  return (
    <section className="widget record-list" data-widget="file-diff">
      <h3>{path}</h3>
      {note === undefined ? (
        <Diff hunks={hunks} path={path} />
      ) : (
        <p className="muted hint">{note}</p>
      )}
    </section>
  )
}
