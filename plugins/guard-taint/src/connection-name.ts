import { isObject, type Json } from '@amodal/sdk'

/** The tool of connections that speak HTTP: an argument says which one. */
const REQUEST = 'request'

/** Where a call went. */
export interface CalledConnection {
  readonly name: string
  /** `trusted`: its owner says that only they write into it. */
  readonly known: 'trusted' | 'untrusted'
}

/**
 * The connection that a call went to, by the name of the tool: `request` names it in its arguments,
 * tools of MCP servers begin with it. An argument of any other tool says nothing, since a stranger
 * may have chosen it.
 *
 * @param connections by name, whether each is trusted
 */
export function connectionOf(
  tool: string,
  args: Json | undefined,
  connections: ReadonlyMap<string, boolean>,
): CalledConnection {
  const named = isObject(args) ? args['connection'] : undefined
  if (tool === REQUEST && typeof named === 'string')
    return { name: named, known: connections.get(named) === true ? 'trusted' : 'untrusted' }
  if (tool === 'fetch_url' || tool === 'web_search') return { name: 'web', known: 'untrusted' }
  const server = serverOf(tool, connections)
  if (server !== undefined)
    return { name: server, known: connections.get(server) === true ? 'trusted' : 'untrusted' }
  return { name: typeof named === 'string' ? named : tool, known: 'untrusted' }
}

/** The longest name of a connection that the name of a tool begins with. */
function serverOf(tool: string, connections: ReadonlyMap<string, boolean>): string | undefined {
  let longest: string | undefined
  for (const name of connections.keys())
    if (tool.startsWith(`${name}__`) && name.length > (longest?.length ?? 0)) longest = name
  return longest
}
