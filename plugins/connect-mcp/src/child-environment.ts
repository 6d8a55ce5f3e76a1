import type { Logger, Secrets } from '@amodal/sdk'

/** Variables that programs cannot do without. */
const NEEDED =
  process.platform === 'win32' ? ['PATH', 'SYSTEMROOT', 'USERPROFILE', 'TEMP'] : ['PATH', 'HOME']
const PATH = '/usr/local/bin:/usr/bin:/bin'

/**
 * How the network of this machine is reached: without these nothing is, behind a proxy or a
 * certificate authority of one's own.
 */
const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'NODE_USE_ENV_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  ...['cafile', 'registry', 'proxy', 'https_proxy', 'noproxy'].flatMap((name) => [
    `npm_config_${name}`,
    `NPM_CONFIG_${name.toUpperCase()}`,
  ]),
]

/** An address with somebody's name or password in it. */
const HAS_CREDENTIALS = /:\/\/[^/\s@]+@/

/**
 * All that a child gets of any environment: what its spec names, where programs and its home are,
 * and how the network is reached. An address that has credentials in it is left out: who wants a
 * stranger's program to have them names it in `env`.
 *
 * @param named what the spec names, resolved
 */
export function childEnvironment(
  named: Readonly<Record<string, string>>,
  server: string,
  secrets: Secrets,
  log: Logger,
): Readonly<Record<string, string>> {
  const given = (names: readonly string[]): readonly (readonly [string, string])[] =>
    names.flatMap((name) => {
      const value = secrets.get(name)
      return value === undefined || value === '' ? [] : [[name, value] as const]
    })
  const network = given(NETWORK).filter(([name]) => !(name in named))
  const omitted = network.filter(([, value]) => HAS_CREDENTIALS.test(value)).map(([name]) => name)
  if (omitted.length > 0) {
    log.warn('mcp.environment', {
      server,
      message: `${omitted.join(', ')} is not passed on, since there are credentials in it; name it under "env" of the connection, such as "${omitted[0] ?? ''}": "env:${omitted[0] ?? ''}", if its program may have them`,
    })
  }
  return {
    PATH,
    ...Object.fromEntries([
      ...given(NEEDED),
      ...network.filter(([name]) => !omitted.includes(name)),
    ]),
    ...named,
  }
}
