const CHANGE = 'visibilitychange'

/**
 * Calls `listener` whenever the page is in this state: at once where it is, and at each change.
 * Outside of a browser there is no page to hide.
 *
 * @returns ends it
 * @example
 * const leave = whenPageIs('visible', () => void refresh())
 */
export function whenPageIs(state: 'visible' | 'hidden', listener: () => void): () => void {
  if (typeof document === 'undefined') {
    if (state === 'visible') listener()
    return () => undefined
  }
  const check = (): void => {
    if (document.visibilityState === state) listener()
  }
  document.addEventListener(CHANGE, check)
  check()
  return () => document.removeEventListener(CHANGE, check)
}
