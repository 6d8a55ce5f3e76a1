const CHANGE = 'visibilitychange'

/** Whether this is a page that is hidden: never outside of a browser. */
const isHidden = (): boolean =>
  typeof document !== 'undefined' && document.visibilityState === 'hidden'

/** Resolves when the page is visible, or when `signal` aborts. */
export function untilVisible(signal: AbortSignal | undefined): Promise<void> {
  if (!isHidden() || signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const check = (): void => {
      if (isHidden() && !signal?.aborted) return
      document.removeEventListener(CHANGE, check)
      signal?.removeEventListener('abort', check)
      resolve()
    }
    document.addEventListener(CHANGE, check)
    signal?.addEventListener('abort', check)
  })
}

/** Calls `listener` when the page is hidden, until the returned function is called. */
export function onHidden(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined
  const check = (): void => {
    if (isHidden()) listener()
  }
  document.addEventListener(CHANGE, check)
  return () => document.removeEventListener(CHANGE, check)
}
