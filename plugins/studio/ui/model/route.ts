import { useEffect, useState } from 'react'

/** What the page shows, as its address says it behind the `#`. */
export type Route =
  | { readonly view: 'chat'; readonly session: string | undefined }
  | { readonly view: 'activity' | 'context' | 'plugins' }
  /** One of another plugin. */
  | { readonly view: 'more'; readonly key: string; readonly query: string }

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', id] = path.split('/')
  if (view === 'more' && id) return { view, key: decodeURIComponent(id), query }
  return view === 'activity' || view === 'context' || view === 'plugins'
    ? { view }
    : { view: 'chat', session: view === 'chat' && id ? decodeURIComponent(id) : undefined }
}

export function addressOf(route: Route): string {
  if (route.view === 'more') {
    const path = `#/more/${encodeURIComponent(route.key)}`
    return route.query === '' ? path : `${path}?${route.query}`
  }
  if (route.view !== 'chat' || route.session === undefined) return `#/${route.view}`
  return `#/chat/${encodeURIComponent(route.session)}`
}

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
