import type { PageList } from '@amodal/plugin-pages/tokens'
import { useCallback, useEffect, useState } from 'react'
import type { Live } from './live.ts'
import type { Server } from './server.ts'

/** The event after which there may be other pages than before. */
const NEWS = 'pages.changed'

export interface Pages {
  /** `undefined` until it is known, and where the server has no pages. */
  readonly list: PageList | undefined
  readonly refresh: () => void
}

/** The pages of the agent: asked for anew whenever one of them is edited. */
export function usePages(server: Server, { events, state }: Live): Pages {
  const [list, setList] = useState<PageList>()
  const refresh = useCallback(() => {
    // Without access, or without the plugin, there are none.
    server.pages().then(setList, () => undefined)
  }, [server])
  const news = events.find(({ type }) => type === NEWS)?.seq
  const isLive = state === 'live'
  useEffect(refresh, [refresh, news, isLive])
  return { list, refresh }
}
