import { useEffect, useState } from 'react'

/** What the page shows, as its address says it behind the `#`. */
export type Route =
  | { readonly view: 'chat'; readonly session: string | undefined }
  /** A conversation with the admin agent. */
  | {
      readonly view: 'configure'
      readonly session: string | undefined
      /** The file of the agent that is open beside it. */
      readonly file?: string
    }
  | { readonly view: Simple }
  /** What waits for a person; with the session that is open beside the list. */
  | { readonly view: 'inbox'; readonly session: string | undefined }
  /** Every session, searched and filtered by the query. */
  | { readonly view: 'sessions'; readonly query: string }
  /** What runs cost, of the time and in the groups that the query says. */
  | { readonly view: 'usage'; readonly query: string }
  /** One session as a page: its conversation and its trace. */
  | {
      readonly view: 'session'
      readonly id: string
      readonly pane: 'trace' | 'chat'
      /** The row of the trace that is open. */
      readonly entry?: string
    }
  /** Runs that work without a conversation, filtered by the query. */
  | { readonly view: 'runs'; readonly query: string }
  /** One of them; the query says which of its artifacts and citations is open. */
  | { readonly view: 'run'; readonly id: string; readonly query: string }
  /** What was recorded, filtered by the query. */
  | { readonly view: 'audit' | 'logs'; readonly query: string }
  /** What each role may do. */
  | { readonly view: 'access'; readonly query: string }
  /** What the agent reaches outside, or one of it. */
  | { readonly view: 'connections'; readonly name: string | undefined }
  /** Texts of the agent, or one of them. */
  | { readonly view: 'skills' | 'knowledge'; readonly name: string | undefined }
  /** A page of the agent, with its parameters. */
  | { readonly view: 'page'; readonly name: string; readonly query: string }
  /** The stores of the agent. */
  | { readonly view: 'stores' }
  /** Documents of a store, or one of them. */
  | {
      readonly view: 'store'
      readonly store: string
      readonly key?: string
      readonly query: string
    }
  /** One of another plugin. */
  | { readonly view: 'more'; readonly key: string; readonly query: string }

/** Views whose address is their name. */
const SIMPLE = ['activity', 'context', 'plugins', 'queue', 'system'] as const
type Simple = (typeof SIMPLE)[number]
const isSimple = (view: string): view is Simple => SIMPLE.some((one) => one === view)

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', id, key] = path.split('/').map(decoded)
  if (view === 'more' && id) return { view, key: id, query }
  if (view === 'pages' && id) return { view: 'page', name: id, query }
  if (view === 'stores') return id ? storeRoute(id, key, query) : { view }
  if (view === 'sessions') return id ? sessionRoute(id, key, query) : { view, query }
  if (view === 'runs') return id ? { view: 'run', id, query } : { view, query }
  if (view === 'access' || view === 'usage') return { view, query }
  if (view === 'audit' || view === 'logs') return { view, query }
  if (view === 'connections') return { view, name: id ? id : undefined }
  if (view === 'skills' || view === 'knowledge') return { view, name: id ? id : undefined }
  if (view === 'configure') return configureRoute(id, query)
  if (view === 'inbox') return { view, session: id ? id : undefined }
  return isSimple(view)
    ? { view }
    : { view: 'chat', session: view === 'chat' && id ? id : undefined }
}

function sessionRoute(id: string, entry: string | undefined, query: string): Route {
  const isChat = new URLSearchParams(query).get('pane') === 'chat'
  if (isChat) return { view: 'session', id, pane: 'chat' }
  return { view: 'session', id, pane: 'trace', ...(entry ? { entry } : {}) }
}

function configureRoute(id: string | undefined, query: string): Route {
  const file = new URLSearchParams(query).get('file')
  const session = id ? id : undefined
  return { view: 'configure', session, ...(file !== null && { file }) }
}

const storeRoute = (store: string, key: string | undefined, query: string): Route =>
  key ? { view: 'store', store, key, query } : { view: 'store', store, query }

/** A part of an address that somebody wrote by hand may be no encoding at all. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function addressOf(route: Route): string {
  switch (route.view) {
    case 'more':
      return withQuery(`#/more/${encodeURIComponent(route.key)}`, route.query)
    case 'page':
      return withQuery(`#/pages/${encodeURIComponent(route.name)}`, route.query)
    case 'store': {
      const document = route.key === undefined ? '' : `/${encodeURIComponent(route.key)}`
      return withQuery(`#/stores/${encodeURIComponent(route.store)}${document}`, route.query)
    }
    case 'configure': {
      const query = route.file === undefined ? '' : new URLSearchParams({ file: route.file })
      return withQuery(withName('configure', route.session), query.toString())
    }
    case 'chat':
    case 'inbox':
      return withName(route.view, route.session)
    case 'access':
    case 'audit':
    case 'logs':
    case 'runs':
    case 'sessions':
    case 'usage':
      return withQuery(`#/${route.view}`, route.query)
    case 'run':
      return withQuery(`#/runs/${encodeURIComponent(route.id)}`, route.query)
    case 'connections':
    case 'knowledge':
    case 'skills':
      return withName(route.view, route.name)
    case 'session': {
      const entry = route.entry === undefined ? '' : `/${encodeURIComponent(route.entry)}`
      const path = `#/sessions/${encodeURIComponent(route.id)}${entry}`
      return withQuery(path, route.pane === 'chat' ? 'pane=chat' : '')
    }
    case 'activity':
    case 'context':
    case 'plugins':
    case 'queue':
    case 'stores':
    case 'system':
      return `#/${route.view}`
    default:
      return route satisfies never
  }
}

const withName = (view: string, name: string | undefined): string =>
  name === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(name)}`

const withQuery = (path: string, query: string): string =>
  query === '' ? path : `${path}?${query}`

export function go(route: Route): void {
  location.hash = addressOf(route)
  // the browser's own comes later, and changes nothing then
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Goes to an address in place of this one, so that going back does not lead here. */
export function replace(route: Route): void {
  history.replaceState(null, '', addressOf(route))
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
