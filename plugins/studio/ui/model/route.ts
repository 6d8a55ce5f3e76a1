import { useEffect, useState } from 'react'

/** What the page shows, as its address says it behind the `#`. */
export type Route =
  | { readonly view: 'chat'; readonly session: string | undefined }
  | { readonly view: 'activity' | 'context' | 'plugins' }

export function routeOf(hash: string): Route {
  const [view = '', id] = hash.replace(/^#\/?/, '').split('/')
  return view === 'activity' || view === 'context' || view === 'plugins'
    ? { view }
    : { view: 'chat', session: view === 'chat' && id ? decodeURIComponent(id) : undefined }
}

export const addressOf = (route: Route): string =>
  route.view === 'chat'
    ? route.session === undefined
      ? '#/chat'
      : `#/chat/${encodeURIComponent(route.session)}`
    : `#/${route.view}`

export function go(route: Route): void {
  location.hash = addressOf(route)
  // the browser's own comes later, and changes nothing then
  dispatchEvent(new HashChangeEvent('hashchange'))
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash))
  useEffect(() => {
    const changed = (): void => setRoute(routeOf(location.hash))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return route
}
