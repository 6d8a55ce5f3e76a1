import type { SessionSummary } from '@amodal/sdk/client'
import { useEffect, useRef, type RefObject } from 'react'
import type { Place } from '../frame/places.ts'
import { go } from './route.ts'

export interface Keys {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly rows: readonly SessionSummary[]
  readonly current: string | undefined
  /** The digits 1 to 9 lead to the first nine of them. */
  readonly places: readonly Place[]
  /** A dialog is open, and has the keys. */
  readonly isBlocked: boolean
  readonly onHelp: () => void
  readonly onPalette: () => void
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
  ['1  …  9', 'The places at the left, from the top'],
  ['⌘ K', 'Search, or jump to a place (Ctrl K elsewhere)'],
  ['?', 'This help'],
]

/** Keys that work wherever nothing is being written. */
export function useKeys(keys: Keys): void {
  const now = useRef(keys)
  now.current = keys
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { field, rows, current, places, isBlocked, onHelp, onPalette, onEscape } = now.current
      if (isBlocked || event.defaultPrevented) return
      if (event.key === 'Escape') return onEscape()
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return onPalette()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return
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
      else if (/^[1-9]$/.test(event.key)) {
        const place = places[Number(event.key) - 1]
        if (place) go(place.route)
      }
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

/** Whether a key goes into a text; the target of an event hides what stands in a shadow tree. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}
