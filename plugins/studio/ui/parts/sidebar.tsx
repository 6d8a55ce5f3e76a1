import type { SessionSummary } from '@amodal/sdk/client'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { addressOf, go } from '../model/route.ts'
import { isWaiting, type Sessions } from '../model/sessions.ts'
import { ago } from './ago.ts'
import { Icon } from './icons.tsx'

export interface SidebarProps {
  readonly sessions: Sessions
  readonly current: string | undefined
  readonly onPicked: () => void
}

/**
 * The sessions, the newest first: arrows or j and k go through them, Enter opens, F2 renames,
 * Delete removes.
 */
export function Sidebar({ sessions, current, onPicked }: SidebarProps): ReactNode {
  const { rows, more, problem, loaded, waiting, onlyWaiting, showWaiting } = sessions
  const list = useRef<HTMLUListElement>(null)
  const move = (event: KeyboardEvent<HTMLUListElement>): void => {
    const isDown = event.key === 'ArrowDown' || event.key === 'j'
    const isUp = event.key === 'ArrowUp' || event.key === 'k'
    const by = Number(isDown) - Number(isUp)
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey
    if (by === 0 || isShortcut || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    event.stopPropagation()
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])]
    const at = links.findIndex((link) => link.parentElement?.contains(document.activeElement))
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus()
  }
  return (
    <nav className="sessions" aria-label="Sessions">
      <a
        className="button new"
        href={addressOf({ view: 'chat', session: undefined })}
        onClick={onPicked}
        aria-keyshortcuts="n"
      >
        <Icon name="plus" />
        New chat
      </a>
      {(waiting > 0 || onlyWaiting) && (
        <button
          type="button"
          className="quiet filter"
          aria-pressed={onlyWaiting}
          onClick={() => showWaiting(!onlyWaiting)}
        >
          <span>Waiting for you</span>
          <b className="badge">{waiting}</b>
        </button>
      )}
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      <ul ref={list} onKeyDown={move}>
        {rows.map((row) => (
          <Row
            key={row.id}
            row={row}
            isCurrent={row.id === current}
            sessions={sessions}
            onPicked={onPicked}
          />
        ))}
      </ul>
      {loaded && rows.length === 0 && problem === undefined && (
        <p className="muted hint">
          {onlyWaiting ? 'Nothing waits for you.' : 'Conversations stand here.'}
        </p>
      )}
      {more && (
        <button type="button" className="quiet wide" onClick={() => sessions.loadMore()}>
          Older ones
        </button>
      )}
    </nav>
  )
}

interface RowProps {
  readonly row: SessionSummary
  readonly isCurrent: boolean
  readonly sessions: Sessions
  readonly onPicked: () => void
}

function Row({ row, isCurrent, sessions, onPicked }: RowProps): ReactNode {
  const [mode, setMode] = useState<'shown' | 'renaming' | 'removing'>('shown')
  const link = useRef<HTMLAnchorElement>(null)
  const title = row.title || 'Untitled'
  const back = (): void => {
    setMode('shown')
    requestAnimationFrame(() => link.current?.focus())
  }
  const remove = async (): Promise<void> => {
    setMode('shown')
    if ((await sessions.remove(row.id)) && isCurrent) go({ view: 'chat', session: undefined })
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'F2') setMode('renaming')
    if (event.key === 'Delete') setMode('removing')
  }
  switch (mode) {
    case 'renaming':
      return (
        <li>
          <Rename
            title={row.title}
            onCancel={back}
            onDone={(name) => {
              back()
              if (name !== '' && name !== row.title) void sessions.rename(row.id, name)
            }}
          />
        </li>
      )
    case 'removing':
      return (
        <li
          className="sure"
          role="group"
          aria-label={`Delete ${title}?`}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation()
              back()
            }
          }}
        >
          <span>Delete it?</span>
          <button type="button" className="danger" autoFocus onClick={() => void remove()}>
            Delete
          </button>
          <button type="button" onClick={back}>
            Keep
          </button>
        </li>
      )
    case 'shown':
      return (
        <li className={isCurrent ? 'current' : undefined} data-session={row.id}>
          <a
            ref={link}
            href={addressOf({ view: 'chat', session: row.id })}
            aria-current={isCurrent ? 'page' : undefined}
            onClick={onPicked}
            onKeyDown={pressed}
          >
            <span className="title">{title}</span>
            <Mark row={row} />
          </a>
          <span className="tools">
            <button
              type="button"
              className="quiet"
              aria-label={`Rename ${title}`}
              title="Rename (F2)"
              onClick={() => setMode('renaming')}
            >
              <Icon name="pencil" />
            </button>
            <button
              type="button"
              className="quiet"
              aria-label={`Delete ${title}`}
              title="Delete (Del)"
              onClick={() => setMode('removing')}
            >
              <Icon name="trash" />
            </button>
          </span>
        </li>
      )
    default:
      return mode satisfies never
  }
}

/** What a person has to know of a session before when it was used. */
function Mark({ row }: { readonly row: SessionSummary }): ReactNode {
  if (isWaiting(row))
    return (
      <small className="mark-waiting" title="It waits for your answer">
        waits
      </small>
    )
  if (row.set_aside)
    return (
      <small className="mark-failed" title={row.set_aside.message}>
        set aside
      </small>
    )
  if (row.unknown_effects !== undefined && row.unknown_effects > 0)
    return (
      <small className="mark-waiting" title="Somebody has to say whether a call took effect">
        unclear
      </small>
    )
  if (row.failed === true)
    return (
      <small className="mark-failed" title={row.last_end?.message ?? 'Its last turn failed'}>
        failed
      </small>
    )
  return <small>{row.status === 'expired' ? 'expired' : ago(row.updated_at)}</small>
}

function Rename({
  title,
  onDone,
  onCancel,
}: {
  readonly title: string
  readonly onDone: (title: string) => void
  readonly onCancel: () => void
}): ReactNode {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const pressed = (event: KeyboardEvent<HTMLInputElement>): void => {
    event.stopPropagation()
    if (event.key === 'Enter') onDone(event.currentTarget.value.trim())
    if (event.key === 'Escape') onCancel()
  }
  return (
    <input
      ref={field}
      className="rename"
      aria-label="Title"
      maxLength={200}
      defaultValue={title}
      autoFocus
      onKeyDown={pressed}
      onBlur={(event) => onDone(event.currentTarget.value.trim())}
    />
  )
}
