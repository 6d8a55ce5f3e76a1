import { useRef, type KeyboardEvent, type ReactNode } from 'react'

export interface TabsProps<T extends string> {
  readonly label: string
  /** Before the ids of the tabs and of what they show. */
  readonly name: string
  readonly tabs: readonly { readonly key: T; readonly title: string; readonly count?: number }[]
  readonly current: T
  readonly onPick: (key: T) => void
}

/** Tabs: the arrows, Home and End go through them. What one shows has the id `NAME-KEY`. */
export function Tabs<T extends string>({
  label,
  name,
  tabs,
  current,
  onPick,
}: TabsProps<T>): ReactNode {
  const list = useRef<HTMLDivElement>(null)
  const pressed = (event: KeyboardEvent): void => {
    const to = placeAfter(
      event.key,
      tabs.findIndex(({ key }) => key === current),
      tabs.length,
    )
    const next = to === undefined ? undefined : tabs[to]
    if (to === undefined || !next) return
    event.preventDefault()
    onPick(next.key)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={pressed}>
      {tabs.map(({ key, title, count = 0 }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={`${name}-${key}-tab`}
          aria-selected={key === current}
          aria-controls={`${name}-${key}`}
          tabIndex={key === current ? 0 : -1}
          onClick={() => onPick(key)}
        >
          {title}
          {count > 0 && <b className="badge">{count}</b>}
        </button>
      ))}
    </div>
  )
}

function placeAfter(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % length
    case 'ArrowLeft':
      return (at + length - 1) % length
    case 'Home':
      return 0
    case 'End':
      return length - 1
    default:
      return undefined
  }
}
