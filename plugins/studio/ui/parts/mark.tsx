import type { ReactNode } from 'react'

/** The mark of the product. */
export const Mark = (): ReactNode => (
  <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M9 22.5 16 8l7 14.5M11.8 17.5h8.4" />
  </svg>
)
