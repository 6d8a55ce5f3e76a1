import { isList, isObject, type ApiEndpoint, type Json, type JsonObject } from '@amodal/sdk'

/** The first server of a document, its variables with their defaults. */
export const documentServer = ({ servers }: JsonObject): string | undefined => serversIn(servers)[0]

/** Servers that an operation or its path has instead of those of the document. */
export function ownServers(
  document: JsonObject,
  item: JsonObject,
  operation: JsonObject,
): Pick<ApiEndpoint, 'servers'> {
  const [own = []] = [serversIn(operation['servers']), serversIn(item['servers'])].filter(
    (list) => list.length > 0,
  )
  const common = serversIn(document['servers'])
  return own.length === 0 || own.some((url) => common.includes(url)) ? {} : { servers: own }
}

function serversIn(list: Json | undefined): readonly string[] {
  return (isList(list) ? list : []).flatMap((server) => {
    if (!isObject(server) || typeof server['url'] !== 'string') return []
    const variables = isObject(server['variables']) ? server['variables'] : {}
    return server['url'].replaceAll(/\{([^}]+)\}/g, (whole, name: string) => {
      const variable = variables[name]
      const value = isObject(variable) ? variable['default'] : undefined
      return typeof value === 'string' ? value : whole
    })
  })
}

/**
 * Where an operation is served, if that is not the address of the connection.
 *
 * @param base the address of the connection
 */
export function servedElsewhere({ servers }: ApiEndpoint, base: URL): string | undefined {
  if (!servers) return undefined
  const plain = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`
  const urls = servers.flatMap((url) => URL.parse(url, base) ?? [])
  return urls.length === 0 || urls.some((url) => plain(url) === plain(base))
    ? undefined
    : urls[0]?.href
}
