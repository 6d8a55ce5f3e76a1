import type { AgentBundle, Checkup } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import type { Way } from './proxies.ts'

/** For `amodal doctor`: by which proxy each host is reached that the agent's files name. */
export function waysCheckup(
  bundle: AgentBundle | undefined,
  way: (url: URL) => Way,
  resolve: (text: string) => string | undefined,
): Checkup | undefined {
  const lines = hostsOf(bundle, resolve).map(([title, url]) => {
    const { proxy, reason } = way(url)
    return `${title} (${url.host}): ${proxy ? `by the proxy ${proxy.host}` : 'directly'} (${reason})`
  })
  return lines.length === 0
    ? undefined
    : { title: 'Ways to other hosts', ok: !lines.some((line) => line.includes('is no URL')), lines }
}

function hostsOf(
  bundle: AgentBundle | undefined,
  resolve: (text: string) => string | undefined,
): readonly (readonly [string, URL])[] {
  if (!bundle) return []
  const named = [
    ...connectionsOf(bundle).map(
      ({ name, spec }) => [`connection ${name}`, addressIn(spec)] as const,
    ),
    ...Object.entries(bundle.manifest.models).map(
      ([tier, config]) => [`model ${tier}`, config?.baseUrl] as const,
    ),
  ]
  return named.flatMap(([title, text]) => {
    const url = URL.parse((text === undefined ? undefined : resolve(text)) ?? '')
    return url ? [[title, url] as const] : []
  })
}

function addressIn(spec: unknown): string | undefined {
  if (typeof spec !== 'object' || spec === null) return undefined
  if ('baseUrl' in spec && typeof spec.baseUrl === 'string') return spec.baseUrl
  return 'url' in spec && typeof spec.url === 'string' ? spec.url : undefined
}
