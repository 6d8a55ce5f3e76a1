import type { ReactNode } from 'react'

const PATHS = {
  chat: <path d="M4 5.5h16v11H10l-4.5 3.5v-3.5H4z" />,
  activity: <path d="M3 12h4l3-7 4 14 3-7h4" />,
  context: <path d="M4 6h16M4 12h16M4 18h9" />,
  plugins: <path d="M8 4v4M16 4v4M6 8h12v4a6 6 0 0 1-12 0zM12 18v3" />,
  configure: (
    <path d="M4 7h8M16 7h4M4 17h4M12 17h8M14 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M10 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4" />
  ),
  plus: <path d="M12 5v14M5 12h14" />,
  send: <path d="M12 19V5M6 11l6-6 6 6" />,
  stop: <rect x="7" y="7" width="10" height="10" rx="2" fill="currentColor" stroke="none" />,
  pencil: <path d="m5 19 1-4L16.5 4.5l3 3L9 18z" />,
  trash: <path d="M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7" />,
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  cross: <path d="m6.5 6.5 11 11M17.5 6.5l-11 11" />,
  chevron: <path d="m9 6 6 6-6 6" />,
  copy: <path d="M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  sun: (
    <path d="M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.400 1.400M17.3 17.3l1.400 1.400M5.3 18.7l1.400-1.400M17.3 6.7l1.400-1.400" />
  ),
  moon: <path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10" />,
  system: <path d="M4 5h16v11H4zM9 20h6M12 16v4" />,
  question: (
    <path d="M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M9.7 9.6a2.4 2.4 0 1 1 3.4 2.2c-.8.4-1.1.8-1.1 1.7M12 16.4v.1" />
  ),
  shield: <path d="M12 3.5 5 6v5.5c0 4 2.800 7 7 9 4.2-2 7-5 7-9V6z" />,
  clock: <path d="M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.500v5l3.200 2" />,
  warning: <path d="M12 4 3 19.500h18zM12 10v4.500M12 17v.1" />,
  up: (
    <path d="M7.500 10.500 11 3.500c1.500 0 2.500 1 2.500 2.500L13 9.500h5.200c1.300 0 2.200 1.200 1.900 2.400l-1.400 6.100c-.2 1-1 1.500-1.900 1.500H7.500zM7.500 10.500H4v9h3.500" />
  ),
  down: (
    <path d="M16.500 13.500 13 20.500c-1.500 0-2.500-1-2.500-2.500l.5-3.500H5.800c-1.300 0-2.200-1.200-1.900-2.400l1.400-6.100c.2-1 1-1.500 1.900-1.500h9.300zM16.500 13.500H20v-9h-3.500" />
  ),
  key: <path d="M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12.5 20 4M16.5 7l2.5 2.5" />,
} satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof PATHS

/** Decoration: what it stands beside says the same in words. */
export const Icon = ({ name }: { readonly name: IconName }): ReactNode => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    {PATHS[name]}
  </svg>
)
