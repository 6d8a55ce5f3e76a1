import { useEffect, useState, type ReactNode } from 'react'

/** ms before anything is shown: what is there sooner needs no placeholder. */
const DELAY_MS = 150

/** Rows in the place of what is loaded. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }): ReactNode {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  )
}
