import type { SessionSummary } from '@amodal/sdk/client'
import { useEffect, useRef, type RefObject } from 'react'
import { go } from './route.ts'

export interface Keys {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly rows: readonly SessionSummary[]
  readonly current: string | undefined
  /** A dialog is open, and has the keys. */
  readonly isBlocked: boolean
  readonly onHelp: () => void
  readonly onEscape: () => void
}

/** What keys do, by what the page's help says of them. */
export const SHORTCUTS: readonly (readonly [keys: string, about: string])[] = [
  ['Enter', 'Send the message'],
  ['Shift Enter', 'A new line'],
  ['Esc', 'Close what is open, or stop what runs'],
  ['/', 'Write a message'],
  ['n', 'New chat'],
  ['j  k', 'Next and previous session'],
  ['↑  ↓', 'The same in the list of sessions'],
  ['F2', 'Rename the session in the list'],
  ['Del', 'Delete the session in the list'],
  ['1  2  3  4', 'Chat, activity, context, plugins'],
  ['?', 'This help'],
]
const VIEWS = { 2: 'activity', 3: 'context', 4: 'plugins' } as const

/** Keys that work wherever nothing is being written. */
export function useKeys(keys: Keys): void {
  const now = useRef(keys)
  now.current = keys
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { field, rows, current, isBlocked, onHelp, onEscape } = now.current
      if (isBlocked || event.defaultPrevented) return
      if (event.key === 'Escape') return onEscape()
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
      const step = Number(event.key === 'j') - Number(event.key === 'k')
      const to =
        step === 0
          ? undefined
          : rows[
              Math.max(
                0,
                Math.min(rows.length - 1, rows.findIndex(({ id }) => id === current) + step),
              )
            ]
      if (to) go({ view: 'chat', session: to.id })
      else if (event.key === '/') {
        event.preventDefault()
        field.current?.focus()
      } else if (event.key === 'n') {
        event.preventDefault()
        go({ view: 'chat', session: undefined })
      } else if (event.key === '?') onHelp()
      else if (event.key === '1') go({ view: 'chat', session: current })
      else if (event.key === '2' || event.key === '3' || event.key === '4')
        go({ view: VIEWS[event.key] })
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement && target.type !== 'checkbox')
