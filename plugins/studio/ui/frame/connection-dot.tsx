import type { ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { STRINGS } from '../strings.ts'

/** How the page is connected, or that the agent or the server has a problem. */
export type Connection = Live['state'] | 'broken' | 'lost'

export function ConnectionDot({ connection }: { readonly connection: Connection }): ReactNode {
  const text = STRINGS.connection[connection]
  return <span className={`live ${connection}`} role="img" aria-label={text} title={text} />
}
